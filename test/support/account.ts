/** Options of a request to a running program. */
interface ClientOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: BunFetchRequestInit['tls'];
  /** Required when the account is created from another machine. */
  readonly setupToken?: string;
}

/** How often a call is sent again that exceeded its time, as it may on a busy machine. */
const maxRepeats = 5;

/**
 * Sends a request, again if its answer is 504. A change that was carried out after all is then made twice, or refused because it was:
 * for what a test prepares, not for what it counts.
 */
export async function fetchInTime(url: string, request?: BunFetchRequestInit): Promise<Response> {
  for (let repeats = 0; ; repeats++) {
    const response = await fetch(url, request);
    if (response.status !== 504 || repeats === maxRepeats) return response;
  }
}

/** Posts JSON to a running program; throws unless the response is a success. */
export const postTo =
  (url: string, { headers, tls }: ClientOptions = {}) =>
  async <TestResponse>(
    path: string,
    body: object,
    extraHeaders: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> => {
    const response = await fetchInTime(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...extraHeaders },
      body: JSON.stringify(body),
      ...(tls === undefined ? {} : { tls }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as TestResponse;
  };

export interface Account {
  readonly key: string;
  /** The value of an Authorization header. */
  readonly authorization: string;
}

const credentials = { email: 'first@example.com', password: 'correct horse battery' };

/** Creates the first account of a running program, with a token and an API key. */
export async function firstAccount(url: string, options: ClientOptions = {}): Promise<Account> {
  const post = postTo(url, options);
  await post('/api/v1/user', { ...credentials, setup_token: options.setupToken });
  const { access_token } = await post<{ access_token: string }>('/api/v1/auth/create_tokens', credentials);
  const authorization = `Bearer ${access_token}`;
  const { key } = await post<{ key: string }>('/api/v1/api_key', { name: 'tests' }, { authorization });
  return { key, authorization };
}

/** Signs in to the account that `firstAccount` created; returns the cookie of the session. */
export async function firstSession(url: string): Promise<string> {
  const response = await fetchInTime(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  if (!response.ok) throw new Error(`no session: ${await response.text()}`);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

interface AccountWithLinks extends Pick<Account, 'key'> {
  /** By suffix. */
  readonly ids: ReadonlyMap<string, number>;
}

/** Creates the first account of a running program, and links to the destinations that `destinationOf` returns. */
export async function accountWithLinks(
  url: string,
  suffixes: readonly string[],
  destinationOf = (suffix: string) => `https://destination.example/${suffix}`,
): Promise<AccountWithLinks> {
  const { key, authorization } = await firstAccount(url);
  const ids = new Map<string, number>();
  for (const suffix of suffixes) {
    const link = { destination_url: destinationOf(suffix), suffix };
    ids.set(suffix, (await postTo(url)<{ id: number }>('/api/v1/link', link, { authorization })).id);
  }
  return { key, ids };
}

interface Link {
  readonly id: number;
  readonly suffix: string;
}

/** Creates the first account of a running program, and a link. */
export async function createFirstLink(url: string, setupToken?: string): Promise<Link> {
  const { authorization } = await firstAccount(url, setupToken === undefined ? {} : { setupToken });
  return postTo(url)('/api/v1/link', { destination_url: 'https://example.com/' }, { authorization });
}
