import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { browserHeadersOf } from './support/members.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

/** Two nodes over one database; the connection of node B to it can be cut. */
let proxy: TcpProxy;
let nodeA: TestApp;
let nodeB: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  const database = await migratedPostgres();
  proxy = new TcpProxy(database);
  await proxy.open();
  nodeA = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  nodeB = await startApp({ env: { DATABASE_URL: proxy.url, SECRET_KEY } });
  owner = await nodeA.createAccount();
});
afterAll(async () => {
  await Promise.all([nodeA.stop(), nodeB.stop()]);
  await proxy.close();
});

const read = (app: TestApp, cookie: string) => app.call('GET', '/api/v1/user', { headers: { cookie } });

test('a session from one node is valid on the other, and ends on both immediately', async () => {
  const browser = await browserHeadersOf(nodeA, owner);
  expect((await read(nodeB, browser.cookie)).status).toBe(200);
  await nodeA.call('DELETE', '/api/v1/session', { headers: browser });
  expect((await read(nodeB, browser.cookie)).status).toBe(401);
});

test('while the database is unreachable, calls with a session get 503, and the session stays valid', async () => {
  const { cookie } = await browserHeadersOf(nodeB, owner);
  await proxy.close();
  const { status, headers, json } = await read(nodeB, cookie);
  expect([status, json.error_code]).toEqual([503, 'STORE_AWAY']);
  expect(headers.get('retry-after')).not.toBeNull();
  expect(headers.get('set-cookie')).toBeNull();
  const body = { email: owner.email, password: owner.password };
  expect((await nodeB.call('POST', '/api/v1/session', { body })).status).toBe(503);
  expect((await nodeB.call('GET', '/api/v1/setup')).status).toBe(503);
  const signOut = await nodeB.call('DELETE', '/api/v1/session', { headers: { cookie, origin: nodeB.url } });
  expect(signOut.status).toBe(503);
  await proxy.open();
  expect((await read(nodeB, cookie)).status).toBe(200);
});
