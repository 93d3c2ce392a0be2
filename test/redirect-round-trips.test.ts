import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { PostgresTraffic } from './support/postgres-traffic.ts';
import { visitRaw } from './support/raw-http.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const never = dayLength;
const traffic = new PostgresTraffic();
let proxy: TcpProxy;
/** Creates the links, so that none is in the other app's caches. */
let directApp: TestApp;
/** Every message that it sends to the database is recorded. */
let observedApp: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  const database = await migratedPostgres();
  proxy = new TcpProxy(database, traffic.tap);
  await proxy.open();
  directApp = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  owner = await directApp.createAccount();
  observedApp = await startApp({
    env: { DATABASE_URL: proxy.url, SECRET_KEY },
    overrides: {
      ...{ hits: 'unfolded', pollInterval: never, expiryInterval: never },
      ...{ scheduledInterval: never, watchInterval: never, domainInterval: never, notFoundInterval: never },
      ...{ outageInterval: never, correctionInterval: never, sweepInterval: never, clearInterval: never },
      ...{ versionInterval: never, webhooks: { pollInterval: never } },
    },
  });
  await eventually(() => traffic.idleTime > 500, 'the end of the queries of a start');
});
afterAll(async () => {
  expect([...directApp.faults, ...observedApp.faults]).toEqual([]);
  await Promise.all([directApp.stop(), observedApp.stop()]);
  await proxy.close();
});

/** Opens a connection before each test, and waits until no query is running. */
beforeEach(async () => {
  await observedApp.visit(`/warm-${crypto.randomUUID().slice(0, 8)}`);
  await eventually(() => traffic.idleTime > 20, 'the end of all queries');
  traffic.clear();
});

async function uncachedPath(): Promise<string> {
  const body = { destination_url: 'https://destination.example' };
  const created = await directApp.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return new URL(created.json.url).pathname;
}

/** Sends `size` visits at once, each on a connection of its own, and returns their statuses. */
const visitAtOnce = async (path: string, size = 50): Promise<Set<number>> => {
  const responses = await Promise.all(
    Array.from({ length: size }, () => visitRaw(observedApp.url, { path })),
  );
  return new Set(responses.map(({ status }) => status));
};

/** The queries for visits, without those of background jobs and the opening of a second connection. */
const visitQueries = () =>
  traffic.exchanges.filter(
    ({ sent, messages }) =>
      messages !== 'startup' &&
      !/"(visitor_salt_requests|click_corrections)"|transaction_read_only|set enable_seqscan/.test(sent),
  );

/** One query that is sent as a whole, and one result to wait for. */
const oneRoundTrip = (path: string) => [
  expect.objectContaining({
    // A statement is prepared once on each connection, and then executed by its name.
    messages: expect.stringMatching(/^P?BDES$/),
    roundTrips: 1,
    sent: expect.stringContaining(path.slice(1)),
  }),
];

test('a visit to an uncached link sends PostgreSQL one query, and waits for one result', async () => {
  const path = await uncachedPath();
  expect((await observedApp.visit(path)).status).toBe(302);
  expect(visitQueries()).toEqual(oneRoundTrip(path));
});

test('a visit to an unknown address sends one query as well', async () => {
  expect((await observedApp.visit('/leads-nowhere')).status).toBe(404);
  expect(visitQueries()).toEqual(oneRoundTrip('/leads-nowhere'));
});

test('a visit to a path of several segments sends one more query, for links that forward paths, and caches its result', async () => {
  const withForwardQuery = (path: string) => [...oneRoundTrip(path), ...oneRoundTrip('/forward_path')];
  expect((await observedApp.visit('/leads/nowhere/at/all')).status).toBe(404);
  expect(visitQueries()).toEqual(withForwardQuery('/leads/nowhere/at/all'));
  traffic.clear();
  expect((await observedApp.visit('/leads/nowhere/else')).status).toBe(404);
  expect(visitQueries()).toEqual(oneRoundTrip('/leads/nowhere/else'));
});

test('fifty simultaneous visits to an uncached link make one query', async () => {
  const path = await uncachedPath();
  expect(await visitAtOnce(path)).toEqual(new Set([302]));
  expect(visitQueries()).toEqual(oneRoundTrip(path));
});

test('fifty simultaneous visits to an unknown address make one query', async () => {
  expect(await visitAtOnce('/unknown')).toEqual(new Set([404]));
  expect(visitQueries()).toEqual(oneRoundTrip('/unknown'));
});

test('visits to cached links and cached misses send no query', async () => {
  const path = await uncachedPath();
  for (const known of [path, '/known-to-be-nothing']) await observedApp.visit(known);
  traffic.clear();
  expect(await visitAtOnce(path)).toEqual(new Set([302]));
  expect(await visitAtOnce('/known-to-be-nothing')).toEqual(new Set([404]));
  expect(visitQueries()).toEqual([]);
});
