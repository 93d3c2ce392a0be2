import { apiErrorOf, unexpectedResponse, unreachable } from './api-error.ts';
import type { Calls } from './api-types.ts';

export type CallName = keyof Calls;
export type Answer<N extends CallName> = Calls[N]['answer'];
type Part<N extends CallName, P extends string> = P extends keyof Calls[N] ? Calls[N][P] : never;

/** The input of a call by its schema: `params` and `body` if it has them; `query` is always optional. */
export type Input<N extends CallName> = ([Part<N, 'params'>] extends [never]
  ? unknown
  : { readonly params: Part<N, 'params'> }) &
  ([Part<N, 'body'>] extends [never] ? unknown : { readonly body: Part<N, 'body'> }) &
  ([Part<N, 'query'>] extends [never] ? unknown : { readonly query?: Part<N, 'query'> }) & {
    readonly headers?: Readonly<Record<string, string>>;
  };

export type Arguments<N extends CallName> = keyof Input<N> extends 'headers' | 'query'
  ? [Input<N>?]
  : [Input<N>];

interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const requestTimeout = 20_000;
let onSessionEnded: () => void = () => {};
export const whenSessionEnds = (listener: () => void): void => {
  onSessionEnded = listener;
};

/** Calls the public API, authenticated by the session's cookie. */
export async function call<N extends CallName>(
  name: N,
  ...[optionalInput]: Arguments<N>
): Promise<Answer<N>> {
  const input = (optionalInput ?? {}) as AnyInput;
  const [method = 'GET', pattern = ''] = name.split(' ');
  const { response, text } = await send(addressOf(pattern, input), {
    method,
    credentials: 'same-origin',
    headers: {
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...input.headers,
    },
    signal: AbortSignal.timeout(requestTimeout),
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  });
  const body = parseJson(text);
  if (response.ok) {
    if (body === undefined && text !== '') throw unexpectedResponse();
    return body as Answer<N>;
  }
  if (response.status === 401 && name !== 'POST /api/v1/session') onSessionEnded();
  throw apiErrorOf(response, body);
}

async function send(address: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(address, init);
    return { response, text: await response.text() };
  } catch {
    throw unreachable();
  }
}

export function addressOf(pattern: string, { params = {}, query = {} }: AnyInput): string {
  const filled = pattern.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params[key] ?? '')),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) search.set(key, String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Undefined if the text is not JSON: an empty body, or the page of a proxy or portal. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
