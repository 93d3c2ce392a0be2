import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { PostgresTraffic } from './support/postgres-traffic.ts';
import { visitRaw } from './support/raw-http.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const SECRET_KEY = 'the same secret on every node, long enough';
const never = 24 * 60 * 60 * 1000;
const talk = new PostgresTraffic();
let wire: TcpProxy;
/** Creates the links, so that none is in the other app's caches. */
let near: TestApp;
/** Every message that it sends to the database is recorded. */
let heard: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  const database = await migratedPostgres();
  wire = new TcpProxy(database, talk.tap);
  await wire.open();
  near = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  owner = await near.createAccount();
  heard = await startApp({
    env: { DATABASE_URL: wire.url, SECRET_KEY },
    overrides: {
      ...{ hits: 'unfolded', pollInterval: never, expiryInterval: never },
      ...{ scheduledInterval: never, watchInterval: never, domainInterval: never, notFoundInterval: never },
      ...{ outageInterval: never, correctionInterval: never, sweepInterval: never, clearInterval: never },
      ...{ versionInterval: never, webhooks: { pollInterval: never } },
    },
  });
  await eventually(() => talk.idleTime > 500, 'the end of what a start has to do');
});
afterAll(async () => {
  expect([...near.faults, ...heard.faults]).toEqual([]);
  await Promise.all([near.stop(), heard.stop()]);
  await wire.close();
});

/** Opens a connection before each test, and waits until nothing is under way. */
beforeEach(async () => {
  await heard.visit(`/warm-${crypto.randomUUID().slice(0, 8)}`);
  await eventually(() => talk.idleTime > 20, 'silence');
  talk.clear();
});

async function freshPath(): Promise<string> {
  const body = { destination_url: 'https://destination.example' };
  const made = await near.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return new URL(made.json.url).pathname;
}

/** `size` visitors at once, each on a connection of their own. */
const crowd = async (path: string, size = 50): Promise<Set<number>> => {
  const answers = await Promise.all(Array.from({ length: size }, () => visitRaw(heard.url, { path })));
  return new Set(answers.map(({ status }) => status));
};

/** The queries for visits, without those of background jobs and the opening of a second connection. */
const asked = () =>
  talk.exchanges.filter(
    ({ sent, messages }) =>
      messages !== 'startup' &&
      !/"(visitor_salt_requests|click_corrections)"|transaction_read_only|set enable_seqscan/.test(sent),
  );

/** One query that is sent as a whole, and one answer to wait for. */
const oneRoundTrip = (path: string) => [
  expect.objectContaining({
    // A statement is prepared once on each connection, and then executed by its name.
    messages: expect.stringMatching(/^P?BDES$/),
    roundTrips: 1,
    sent: expect.stringContaining(path.slice(1)),
  }),
];

test('a visit to an uncached link sends PostgreSQL one query, and waits for one result', async () => {
  const path = await freshPath();
  expect((await heard.visit(path)).status).toBe(302);
  expect(asked()).toEqual(oneRoundTrip(path));
});

test('an unknown address is one query as well', async () => {
  expect((await heard.visit('/leads-nowhere')).status).toBe(404);
  expect(asked()).toEqual(oneRoundTrip('/leads-nowhere'));
});

test('an address of several parts is one more, whether links of its domain forward paths, which is then cached', async () => {
  const oneMore = (path: string) => [...oneRoundTrip(path), ...oneRoundTrip('/forward_path')];
  expect((await heard.visit('/leads/nowhere/at/all')).status).toBe(404);
  expect(asked()).toEqual(oneMore('/leads/nowhere/at/all'));
  talk.clear();
  expect((await heard.visit('/leads/nowhere/else')).status).toBe(404);
  expect(asked()).toEqual(oneRoundTrip('/leads/nowhere/else'));
});

test('fifty simultaneous visits to an uncached link make one query', async () => {
  const path = await freshPath();
  expect(await crowd(path)).toEqual(new Set([302]));
  expect(asked()).toEqual(oneRoundTrip(path));
});

test('fifty simultaneous visits to an unknown address make one query', async () => {
  expect(await crowd('/unknown')).toEqual(new Set([404]));
  expect(asked()).toEqual(oneRoundTrip('/unknown'));
});

test('cached results, link or not, are not queried', async () => {
  const path = await freshPath();
  for (const known of [path, '/known-to-be-nothing']) await heard.visit(known);
  talk.clear();
  expect(await crowd(path)).toEqual(new Set([302]));
  expect(await crowd('/known-to-be-nothing')).toEqual(new Set([404]));
  expect(asked()).toEqual([]);
});
