import type { Listening, Program } from './program.ts';
import { requestBytes } from './request.ts';

/** An account on a new instance, for calls to the API. */
export interface Owner {
  readonly key: string;
  readonly organizationId: number;
}

const linksPerCall = 1_000;

export const ownPassword = 'correct horse battery';

/** Creates an account: the first one, unless registration is open. */
export async function register(program: Program, email = 'bench@example.com'): Promise<Owner> {
  const credentials = { email, password: ownPassword };
  const user = await callApi<{ organization_id: number }>(program, 'POST', '/api/v1/user', {
    body: credentials,
  });
  const tokens = await callApi<{ access_token: string }>(program, 'POST', '/api/v1/auth/create_tokens', {
    body: credentials,
  });
  const apiKey = await callApi<{ key: string }>(program, 'POST', '/api/v1/api_key', {
    body: { name: 'bench' },
    credential: tokens.access_token,
  });
  return { key: apiKey.key, organizationId: user.organization_id };
}

/** One API call that is not measured. */
export async function callApi<Answer>(
  { port }: Listening,
  method: string,
  path: string,
  { body, credential }: { readonly body?: unknown; readonly credential?: string } = {},
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    keepalive: false,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Creates links, and returns their suffixes in the same order. */
export async function makeLinks(
  program: Listening,
  { key }: Owner,
  links: readonly { readonly destination_url: string; readonly suffix?: string; readonly rules?: unknown }[],
): Promise<string[]> {
  const suffixes: string[] = [];
  for (let made = 0; made < links.length; made += linksPerCall) {
    const { results } = await callApi<{ results: { link: { suffix: string } }[] }>(
      program,
      'POST',
      '/api/v1/link/bulk?disable_png=true',
      { body: { links: links.slice(made, made + linksPerCall) }, credential: key },
    );
    suffixes.push(...results.map(({ link }) => link.suffix));
  }
  return suffixes;
}

/** An API call as bytes, ready to be sent many times. */
export const callBytes = (program: Program, owner: Owner, method: string, path: string, body?: unknown) =>
  requestBytes(program.port, method, path, { 'api-key': owner.key, accept: 'application/json' }, body);
