import { afterEach, beforeEach, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './support/name-server.ts';
import { visitRaw } from './support/raw-http.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const names: Names = { 'links.example.com': { A: ['192.0.2.1'] } };
let proxy: TcpProxy;
let dns: NameServer;
let app: TestApp;
let owner: TestAccount;

beforeEach(async () => {
  proxy = new TcpProxy(await migratedPostgres());
  await proxy.open();
  dns = await startNameServer(zoneOf(names));
  app = await startApp({
    env: { DATABASE_URL: proxy.url, BASE_URL: 'https://links.example.com', DNS_SERVERS: dns.address },
    // The change feed could report the changed domain at any time, and evict it from the cache.
    overrides: { domainInterval: 20, pollInterval: dayLength },
  });
  owner = await app.createAccount();
});
afterEach(async () => {
  await app.stop();
  await dns.stop();
  await proxy.close();
});

const timeout = 60_000;

const add = (domain: string) => app.call('POST', '/api/v1/domain', { key: owner.key, body: { domain } });

test('while the database is away domains stay as they are, and due checks are made afterwards', async () => {
  const { json: known } = await add('known.example.org');
  names[known.records[0].name] = { TXT: [known.records[0].value] };
  await app.call('POST', `/api/v1/domain/${known.id}/verify`, { key: owner.key });
  const redirects = { root_url: 'https://example.org/', not_found_url: 'https://example.org/lost' };
  await app.call('PATCH', `/api/v1/domain/${known.id}`, { key: owner.key, body: redirects });
  const { json: pending } = await add('pending.example.org');
  const root = async () =>
    (await visitRaw(app.url, { host: 'known.example.org', path: '/' })).headers.location;
  const tlsAllowed = async (domain: string) =>
    (await app.call('GET', `/internal/tls-allowed?domain=${domain}`)).status;
  await eventually(async () => (await root()) === redirects.root_url, 'the domain to redirect', timeout);

  await proxy.close();
  for (let minute = 0; minute < 3; minute++) {
    expect([await root(), await tlsAllowed('known.example.org')]).toEqual([redirects.root_url, 200]);
    app.clock.now += 61_000;
  }
  expect(await tlsAllowed('unknown.example.org')).toBe(503);
  expect((await visitRaw(app.url, { host: 'unknown.example.org', path: '/' })).status).toBe(503);
  const refused = await add('late.example.org');
  expect([refused.status, refused.json.error_code]).toEqual([503, 'STORE_AWAY']);

  names[pending.records[0].name] = { TXT: [pending.records[0].value] };
  await proxy.open();
  const isVerified = async () => {
    const { json } = await app.call('GET', `/api/v1/domain/${pending.id}`, { key: owner.key });
    return json.state === 'verified';
  };
  await eventually(isVerified, 'the due check', timeout);
  expect(await tlsAllowed('pending.example.org')).toBe(200);
  expect(await root()).toBe(redirects.root_url);
  expect(app.faults).toEqual([]);
});
