import { expect, test } from 'bun:test';
import { startApp, storeKinds } from '../support/app.ts';

/** `npm run test:fuzz` makes more rounds. */
const rounds = Number(process.env.REFRESHES ?? 40);

test.each(storeKinds)(
  `${rounds} rounds of eight simultaneous refreshes leave one valid token each, on %s`,
  async (store) => {
    const app = await startApp({ store });
    const { email, password } = await app.createAccount();
    const signedIn = await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    let pair = signedIn.json;
    for (let round = 0; round < rounds; round++) {
      const headers = bearer(pair.refresh_token);
      const refresh = () => app.call('GET', '/api/v1/auth/refresh_access_token', { headers });
      const responses = await Promise.all(Array.from({ length: 8 }, refresh));
      expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(new Set(responses.map(({ json }) => json.refresh_token)).size).toBe(1);
      pair = responses[0]?.json;
    }
    const listed = await app.call('GET', '/api/v1/link', { headers: bearer(pair.access_token) });
    expect(listed.status).toBe(200);
    expect(app.faults).toEqual([]);
    await app.stop();
  },
);
