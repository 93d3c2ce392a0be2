import { describe, expect, test } from 'bun:test';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

describe.each(storeKinds)('credentials on %s', (store) => {
  const app = appForSuite({ store });
  const signIn = async (name: string) => {
    const { email, password } = await app.createAccount(`${name}@example.com`);
    return (await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } })).json;
  };
  const refresh = (token: string) =>
    app.call('GET', '/api/v1/auth/refresh_access_token', { headers: { authorization: `Bearer ${token}` } });
  const statusWith = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/v1/link?limit=1&offset=0', { headers })).status;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('keys and tokens work in either header', async () => {
    const { key } = await app.createAccount('both@example.com');
    const pair = await signIn('both2');
    expect(await statusWith({ 'api-key': key })).toBe(200);
    expect(await statusWith(bearer(key))).toBe(200);
    expect(await statusWith(bearer(pair.access_token))).toBe(200);
    expect(await statusWith({ 'api-key': pair.access_token })).toBe(200);
    expect(await statusWith(bearer(pair.refresh_token))).toBe(401);
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: 'Basic YTpi' })).toBe(401);
  });

  test('an access token is valid for three days, a refresh token for thirty', async () => {
    const pair = await signIn('lifetimes');
    app.clock.now += 3 * dayLength - hourLength;
    expect(await statusWith(bearer(pair.access_token))).toBe(200);
    app.clock.now += hourLength;
    expect(await statusWith(bearer(pair.access_token))).toBe(401);
    app.clock.now += 27 * dayLength - hourLength;
    const next = await refresh(pair.refresh_token);
    expect(next.status).toBe(200);
    app.clock.now += 30 * dayLength;
    expect((await refresh(next.json.refresh_token)).status).toBe(401);
  });

  test('a refresh gives a new pair, and using the old token later revokes the whole family', async () => {
    const first = await signIn('rotation');
    const { json: second } = await refresh(first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(await statusWith(bearer(second.access_token))).toBe(200);
    app.clock.now += 11_000;
    const reuse = await refresh(first.refresh_token);
    expect([reuse.status, reuse.json.error_code]).toEqual([401, 'TOKEN_INVALID']);
    expect(await statusWith(bearer(second.access_token))).toBe(401);
    expect((await refresh(second.refresh_token)).status).toBe(401);
  });

  test('only the immediate predecessor may be retried', async () => {
    const first = await signIn('predecessor');
    const { json: second } = await refresh(first.refresh_token);
    expect((await refresh(first.refresh_token)).json).toEqual(second);
    await refresh(second.refresh_token);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await refresh(second.refresh_token)).status).toBe(401);
  });

  test('a wrong password and an unknown address get the same response', async () => {
    const { email } = await app.createAccount('same-response@example.com');
    const wrong = await app.call('POST', '/api/v1/auth/create_tokens', {
      body: { email, password: 'wrong password' },
    });
    const unknown = await app.call('POST', '/api/v1/auth/create_tokens', {
      body: { email: 'nobody@example.com', password: 'x' },
    });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toEqual(unknown.json);
  });

  test('after ten wrong passwords an account must wait, whatever the forwarded address; correct ones do not count', async () => {
    const { email, password } = await app.createAccount('guessed@example.com');
    const guess = (guessed: string, from: number) =>
      app.call('POST', '/api/v1/auth/create_tokens', {
        body: { email, password: guessed },
        headers: { 'x-forwarded-for': `198.51.100.${from}` },
      });
    for (let index = 0; index < 12; index++) expect((await guess(password, index)).status).toBe(201);
    const responses = await Promise.all(Array.from({ length: 15 }, (_, from) => guess('wrong', from)));
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.json.error_code).toBe('TOO_MANY_ATTEMPTS');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await guess(password, 99)).status).toBe(429);
    app.clock.now += 15 * 60_000;
    expect((await guess(password, 99)).status).toBe(201);
  });

  test('a key is shown once, listed by its prefix, records its use, and is invalid when deleted', async () => {
    const { key } = await app.createAccount('keys@example.com');
    const made = await app.call('POST', '/api/v1/api_key', { key, body: { name: 'deploy' } });
    expect(made.status).toBe(201);
    expect(Object.keys(made.json).sort()).toEqual([
      'created_at',
      'id',
      'key',
      'last_used_at',
      'name',
      'prefix',
    ]);
    expect(made.json.prefix).toMatch(/^lnt_[0-9A-Za-z]{6}$/);
    expect(made.json.key).toStartWith(made.json.prefix);
    expect(made.json.last_used_at).toBeNull();
    const listed = async () => (await app.call('GET', '/api/v1/api_key', { key })).json;
    expect((await listed())[0]).toEqual({ ...made.json, key: undefined });
    expect(await statusWith({ 'api-key': made.json.key })).toBe(200);
    await eventually(async () => (await listed())[0].last_used_at !== null, 'the last use');
    expect((await app.call('DELETE', `/api/v1/api_key/${made.json.id}`, { key })).status).toBe(204);
    expect(await statusWith({ 'api-key': made.json.key })).toBe(401);
    expect(await listed()).toHaveLength(1);
  });

  onOneStore(store, () => {
    test('many simultaneous correct passwords may have to wait a moment, and lock no account', async () => {
      const { email, password } = await app.createAccount('simultaneous@example.com');
      const signIn = async () =>
        (await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } })).status;
      const statuses = await Promise.all(Array.from({ length: 25 }, signIn));
      expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(10);
      app.clock.now += 3_000;
      expect(await signIn()).toBe(201);
    });
  });
});
