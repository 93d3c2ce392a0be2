export interface AccountWithLinks {
  readonly key: string;
  /** By suffix. */
  readonly ids: ReadonlyMap<string, number>;
}

/** The first account of a running program, with an API key, and links to where `destinationOf` says. */
export async function accountWithLinks(
  url: string,
  suffixes: readonly string[],
  destinationOf = (suffix: string) => `https://destination.example/${suffix}`,
): Promise<AccountWithLinks> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { access_token: string; key: string; id: number };
  };
  const credentials = { email: 'first@example.com', password: 'correct horse battery' };
  await post('/api/v1/user', credentials);
  const authorization = `Bearer ${(await post('/api/v1/auth/create_tokens', credentials)).access_token}`;
  const { key } = await post('/api/v1/api_key', { name: 'tests' }, { authorization });
  const ids = new Map<string, number>();
  for (const suffix of suffixes) {
    const link = { destination_url: destinationOf(suffix), suffix };
    ids.set(suffix, (await post('/api/v1/link', link, { authorization })).id);
  }
  return { key, ids };
}
