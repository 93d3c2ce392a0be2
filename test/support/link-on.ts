/** An account on a program that was started by itself, and a link of it. */
export async function linkOn(url: string, setup_token?: string): Promise<{ id: number; suffix: string }> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { access_token: string; id: number; suffix: string };
  };
  const credentials = { email: 'program@example.com', password: 'correct horse battery' };
  await post('/api/v1/user', { ...credentials, setup_token });
  const { access_token } = await post('/api/v1/auth/create_tokens', credentials);
  const destination_url = 'https://example.com/';
  return post('/api/v1/link', { destination_url }, { authorization: `Bearer ${access_token}` });
}
