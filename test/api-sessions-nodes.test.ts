import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { browserOf } from './support/members.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

/** Two nodes over one database; the far node's connection to it can be cut. */
let wire: TcpProxy;
let near: TestApp;
let far: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  const SECRET_KEY = 'the same secret on every node, long enough';
  const database = await migratedPostgres();
  wire = new TcpProxy(database);
  await wire.open();
  near = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  far = await startApp({ env: { DATABASE_URL: wire.url, SECRET_KEY } });
  owner = await near.createAccount();
});
afterAll(async () => {
  await Promise.all([near.stop(), far.stop()]);
  await wire.close();
});

const read = (app: TestApp, cookie: string) => app.call('GET', '/api/v1/user', { headers: { cookie } });

test('a session from one node is valid on the other, and ends on both at once', async () => {
  const browser = await browserOf(near, owner);
  expect((await read(far, browser.cookie)).status).toBe(200);
  await near.call('DELETE', '/api/v1/session', { headers: browser });
  expect((await read(far, browser.cookie)).status).toBe(401);
});

test('while the database is away a session is neither valid nor invalid: 503, and later it continues', async () => {
  const { cookie } = await browserOf(far, owner);
  await wire.close();
  const { status, headers, json } = await read(far, cookie);
  expect([status, json.error_code]).toEqual([503, 'STORE_AWAY']);
  expect(headers.get('retry-after')).not.toBeNull();
  expect(headers.get('set-cookie')).toBeNull();
  const body = { email: owner.email, password: owner.password };
  expect((await far.call('POST', '/api/v1/session', { body })).status).toBe(503);
  expect((await far.call('GET', '/api/v1/setup')).status).toBe(503);
  const out = await far.call('DELETE', '/api/v1/session', { headers: { cookie, origin: far.url } });
  expect(out.status).toBe(503);
  await wire.open();
  expect((await read(far, cookie)).status).toBe(200);
});
