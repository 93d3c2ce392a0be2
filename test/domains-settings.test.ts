import { afterEach, expect, test } from 'bun:test';
import { Log } from '../src/telemetry/log.ts';
import { startApp, type TestApp } from './support/app.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './support/name-server.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

let dns: NameServer;
let app: TestApp;
const names: Names = {};

async function start(env: Record<string, string>) {
  dns = await startNameServer(zoneOf(names));
  app = await startApp({ env: { DNS_SERVERS: dns.address, ...env } });
  return app.createAccount();
}
afterEach(async () => {
  await app.stop();
  await dns.stop();
  for (const name of Object.keys(names)) delete names[name];
});

const recordsOf = ({ json }: { json: { records: Record<string, string>[] } }) =>
  json.records.slice(1).map(({ type, name, value }) => [type, name, value]);

test('while the service is reachable only from one machine, domains have no address to point to', async () => {
  const { key } = await start({});
  const added = await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });
  expect(added.json.records).toMatchObject([{ purpose: 'proof' }]);
  names['_linnet.go.example.org'] = { TXT: [added.json.records[0].value] };
  const verified = await app.call('POST', `/api/v1/domain/${added.json.id}/verify`, { key });
  expect(verified.json).toMatchObject({ state: 'verified', problem: null });
  expect((await app.call('GET', '/api/v1/setup')).json.domains_lead_here).toBe(false);
});

test('in a trial on one machine real names can be added, and point to that machine if requested', async () => {
  const { key } = await start({ DOMAIN_TARGET: '127.0.0.1' });
  expect((await app.call('GET', '/api/v1/setup')).json.domains_lead_here).toBe(true);
  const added = await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });
  expect(recordsOf(added)).toEqual([['A', 'go.example.org', '127.0.0.1']]);
  names['_linnet.go.example.org'] = { TXT: [added.json.records[0].value] };
  names['go.example.org'] = { A: ['127.0.0.1'] };
  const verified = await app.call('POST', `/api/v1/domain/${added.json.id}/verify`, { key });
  expect(verified.json).toMatchObject({
    state: 'verified',
    problem: null,
    records: [{}, { seen: ['127.0.0.1'] }],
  });
  for (const domain of ['localhost', 'my.localhost', '127.0.0.1'])
    expect((await app.call('POST', '/api/v1/domain', { key, body: { domain } })).status).toBe(400);
});

test('behind a load balancer domains must point to its host, which no organization can add as a domain', async () => {
  names['lb.example.net'] = { A: ['198.51.100.7'] };
  const { key } = await start({ BASE_URL: 'https://links.example.com', DOMAIN_TARGET: 'lb.example.net' });
  const add = (domain: string) => app.call('POST', '/api/v1/domain', { key, body: { domain } });
  expect(recordsOf(await add('go.example.org'))).toEqual([['CNAME', 'go.example.org', 'lb.example.net']]);
  expect(recordsOf(await add('example.org'))).toEqual([['A', 'example.org', '198.51.100.7']]);
  for (const domain of ['lb.example.net', 'x.lb.example.net', 'x.links.example.com'])
    expect((await add(domain)).json.error_code).toBe('DOMAIN_RESERVED');
});

test('if the operator sets addresses, every domain gets those', async () => {
  const { key } = await start({
    BASE_URL: 'https://links.example.com',
    DOMAIN_TARGET: '198.51.100.7,2001:db8::7',
  });
  const added = await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });
  expect(recordsOf(added)).toEqual([
    ['A', 'go.example.org', '198.51.100.7'],
    ['AAAA', 'go.example.org', '2001:db8::7'],
  ]);
});

test('a name server that does not answer delays no response for long, nor the stop of the program', async () => {
  names['links.example.com'] = 'silence';
  names['go.example.org'] = 'silence';
  names['_linnet.go.example.org'] = 'silence';
  const { key } = await start({ BASE_URL: 'https://links.example.com' });
  const began = performance.now();
  const added = await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });
  expect(added.status).toBe(201);
  expect(performance.now() - began).toBeLessThan(scaledToLoad(3_000));
  const verifying = app.call('POST', `/api/v1/domain/${added.json.id}/verify`, { key });
  const { status, json } = await verifying;
  expect([status, json.state]).toEqual([200, 'pending']);
  expect(json.records.map(({ state }: { state: string }) => state)).toEqual(['unknown', 'unknown']);
});

test('a public address whose host is already a custom domain is named at the start, with what to do', async () => {
  const { key } = await start({ BASE_URL: 'https://links.example.com' });
  const added = await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });
  names['_linnet.go.example.org'] = { TXT: [added.json.records[0].value] };
  await app.call('POST', `/api/v1/domain/${added.json.id}/verify`, { key });
  for (const [host, warnings] of [
    ['links.example.com', 0],
    ['go.example.org', 1],
  ] as const) {
    const found: Record<string, unknown>[] = [];
    const log = new Log('warn', (line) => found.push(JSON.parse(line)));
    const env = { DATA_DIR: app.dataDir, BASE_URL: `https://${host}` };
    const restarted = await startApp({ env, overrides: { log } });
    expect(restarted.app.url).toBe(`https://${host}`);
    expect(found).toHaveLength(warnings);
    if (warnings > 0)
      expect(found[0]).toMatchObject({
        event: 'custom domain not reached',
        host,
        to_do: expect.stringContaining('another host'),
      });
    await restarted.stop();
  }
});
