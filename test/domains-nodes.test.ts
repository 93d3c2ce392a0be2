import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './support/name-server.ts';
import { visitRaw } from './support/raw-http.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { SECRET_KEY } from './support/secret-key.ts';

/** Two nodes over one PostgreSQL database, with the default interval of the change feed. */
const names: Names = { 'links.example.com': { A: ['192.0.2.1'] } };
let dns: NameServer;
let nodeA: TestApp;
let nodeB: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  dns = await startNameServer(zoneOf(names));
  const env = {
    SECRET_KEY,
    DATABASE_URL: await migratedPostgres(),
    BASE_URL: 'https://links.example.com',
    DNS_SERVERS: dns.address,
  };
  const overrides = { pollInterval: 400, domainInterval: 20 };
  nodeA = await startApp({ env, overrides });
  nodeB = await startApp({ env, overrides });
  owner = await nodeA.createAccount();
});
afterAll(async () => {
  await Promise.all([nodeA.stop(), nodeB.stop()]);
  await dns.stop();
  expect([...nodeA.faults, ...nodeB.faults]).toEqual([]);
});

const call = (node: TestApp, method: string, path: string, body?: object) =>
  node.call(method, `/api/v1/${path}`, { key: owner.key, ...(body && { body }) });

async function add(domain: string): Promise<{ id: number; prove(): void }> {
  const { json } = await call(nodeA, 'POST', 'domain', { domain });
  const [proof] = json.records;
  return { id: json.id, prove: () => Object.assign(names, { [proof.name]: { TXT: [proof.value] } }) };
}

/** How long it takes until both nodes pass the check, in milliseconds. */
async function timeUntil(check: (node: TestApp) => Promise<boolean>): Promise<number> {
  const began = performance.now();
  for (const node of [nodeA, nodeB]) await eventually(() => check(node), 'a node to pass the check');
  return performance.now() - began;
}

const responseOf = async (node: TestApp, path: string) => {
  const { status, headers } = await visitRaw(node.url, { host: 'go.example.org', path });
  return `${status} ${headers.location ?? ''}`.trim();
};
const isResponse = (path: string, response: string) => async (node: TestApp) =>
  (await responseOf(node, path)) === response;

test('a change of a domain on one node applies to visitors of all nodes within a second', async () => {
  const { id, prove } = await add('go.example.org');
  await timeUntil(isResponse('/first', '404'));
  prove();
  const verified = await call(nodeA, 'POST', `domain/${id}/verify`);
  expect(verified.json.state).toBe('verified');
  const fields = {
    destination_url: 'https://destination.example/',
    domain: 'go.example.org',
    suffix: 'first',
  };
  expect((await call(nodeB, 'POST', 'link', fields)).status).toBe(201);
  expect(await timeUntil(isResponse('/first', '302 https://destination.example/'))).toBeLessThan(
    scaledToLoad(1_000),
  );

  await call(nodeB, 'PATCH', `domain/${id}`, {
    root_url: 'https://example.org/',
    not_found_url: 'https://example.org/lost',
  });
  expect(await timeUntil(isResponse('/', '302 https://example.org/'))).toBeLessThan(scaledToLoad(1_000));
  expect(await timeUntil(isResponse('/nothing', '302 https://example.org/lost'))).toBeLessThan(
    scaledToLoad(1_000),
  );

  expect((await call(nodeA, 'DELETE', `domain/${id}?links=delete`)).status).toBe(204);
  expect(await timeUntil(isResponse('/first', '404'))).toBeLessThan(scaledToLoad(1_000));
  expect(await timeUntil(isResponse('/', '404'))).toBeLessThan(scaledToLoad(1_000));
});

test('a domain whose check is due is checked by only one node', async () => {
  const domains = [];
  // Few at once, as each has two seconds even on a busy machine.
  for (let index = 0; index < 44; index += 4) {
    const some = Array.from({ length: 4 }, (_, next) => add(`due${index + next}.example.org`));
    domains.push(...(await Promise.all(some)));
  }
  const lookups = () =>
    dns.queries.filter((question) => /^TXT _linnet\.due\d+\.example\.org$/.test(question)).length;
  const isLookedUp = async (node: TestApp) =>
    (await call(node, 'GET', 'domain')).json.every(
      ({ checked_at }: { checked_at: string | null }) => checked_at,
    );
  await timeUntil(isLookedUp);
  expect(lookups()).toBe(44);
  for (const { prove } of domains) prove();
  nodeA.clock.now += 20_000;
  nodeB.clock.now = nodeA.clock.now;
  await timeUntil(async (node) =>
    (await call(node, 'GET', 'domain')).json.every(({ state }: { state: string }) => state === 'verified'),
  );
  expect(lookups()).toBe(88);
});
