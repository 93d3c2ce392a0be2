import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import type { Send } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { PostgresTraffic, sequentialRoundTrips } from './support/postgres-traffic.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const never = dayLength;
const traffic = new PostgresTraffic();
/** Records every message that the app sends to the database. */
let proxy: TcpProxy;
let linkId: number;
let tagId: number;

const { app, owner } = appWithOwner(async () => {
  proxy = new TcpProxy(await migratedPostgres(), traffic.tap);
  await proxy.open();
  return {
    env: { DATABASE_URL: proxy.url },
    overrides: {
      ...{ hits: 'unfolded', keyLifetime: never, pollInterval: never, expiryInterval: never },
      ...{ scheduledInterval: never, watchInterval: never, domainInterval: never, notFoundInterval: never },
      ...{ outageInterval: never, correctionInterval: never, sweepInterval: never, clearInterval: never },
      ...{ versionInterval: never, webhooks: { pollInterval: never } },
    },
  };
});

const call = (method: string, path: string, send: Send = {}) =>
  app.call(method, path, { key: owner.key, ...send });

beforeAll(async () => {
  tagId = (await call('POST', '/api/v1/tag', { body: { name: 'of a link' } })).json.id;
  const links = Array(30).fill({ destination_url: 'https://destination.example', tags: [tagId] });
  const made = await call('POST', '/api/v1/link/bulk?disable_png=true', { body: { links } });
  linkId = made.json.results.at(-1).link.id;
});
afterAll(() => proxy.close());
beforeEach(async () => {
  // Opens the connections that a call needs, and caches the key's owner.
  await Promise.all(Array.from({ length: 3 }, () => call('GET', '/api/v1/link?limit=25')));
});

/** The statements of a call: the fewest of three calls, because background jobs may send some meanwhile. */
async function statementsOf(method: string, path: string, send: Send = {}) {
  await call(method, path, send);
  const calls = [];
  for (let index = 0; index < 3; index++) calls.push(await statementsOfOne(method, path, send));
  const [fewest] = calls.toSorted((one, other) => one.statements - other.statements);
  return fewest as (typeof calls)[number];
}

async function statementsOfOne(method: string, path: string, send: Send) {
  await eventually(() => traffic.idleTime > 50, 'the connections to the database to be idle');
  traffic.clear();
  const response = await call(method, path, send);
  const exchanges = traffic.exchanges.filter(
    ({ sent }) =>
      !/"(visitor_salt_requests|click_corrections)"|transaction_read_only|last_used_at/.test(sent),
  );
  return { response, statements: exchanges.length, roundTrips: sequentialRoundTrips(exchanges), exchanges };
}

test('a link by its id is one query, including tags', async () => {
  const { response, statements, roundTrips } = await statementsOf('GET', `/api/v1/link/${linkId}`);
  expect([response.status, response.json.tags.length, statements, roundTrips]).toEqual([200, 1, 1, 1]);
});

test('concurrent reads of links share few queries, each for its own organization', async () => {
  const other = await app.createAccount();
  const body = { destination_url: 'https://other.example' };
  const others = (await call('POST', '/api/v1/link?disable_png=true', { key: other.key, body })).json.id;
  await eventually(() => traffic.idleTime > 50, 'the connections to the database to be idle');
  traffic.clear();
  const reads = Array.from({ length: 40 }, (_, index) => ({
    key: index % 2 === 0 ? owner.key : other.key,
    id: [linkId, others, linkId - 1 - index, 1_000_000][(index >> 1) % 4] ?? 0,
  }));
  const responses = await Promise.all(
    reads.map(({ key, id }) => app.call('GET', `/api/v1/link/${id}`, { key })),
  );
  for (const [index, { status, json }] of responses.entries()) {
    const { key, id } = reads[index] ?? { key: '', id: 0 };
    const isOwn = key === owner.key ? id < others && id > linkId - 30 : id === others;
    expect([key === owner.key, id, status, json.id]).toEqual([
      key === owner.key,
      id,
      isOwn ? 200 : 404,
      isOwn ? id : undefined,
    ]);
  }
  const queries = traffic.exchanges.filter(({ messages }) => messages.includes('B'));
  expect(queries.length).toBeLessThan(reads.length / 2);
});

test('a page of links is one query, with the totals', async () => {
  const { response, statements, roundTrips } = await statementsOf('GET', '/api/v1/link?limit=25');
  expect([response.json.links.length, response.json.total_links, statements, roundTrips]).toEqual([
    25, 30, 1, 1,
  ]);
  expect(response.json.links.every(({ tags }: { tags: unknown[] }) => tags.length === 1)).toBe(true);
});

test('a page that was read before is read without columns of links that have not changed', async () => {
  const body = { name: 'changed' };
  await call('GET', '/api/v1/link?limit=25');
  await call('PATCH', `/api/v1/link/${linkId}`, { body });
  await eventually(() => traffic.idleTime > 50, 'the connections to the database to be idle');
  traffic.clear();
  const { json } = await call('GET', '/api/v1/link?limit=25');
  const reads = traffic.exchanges.filter(({ sent }) => sent.includes('link_clicks'));
  expect([json.links[0].name, reads.length, sequentialRoundTrips(reads)]).toEqual(['changed', 2, 2]);
});

test('a page in another order, or of links with a tag, first queries what it needs for that', async () => {
  for (const query of ['sort=-clicks', `tag=${tagId}`]) {
    const { response, roundTrips } = await statementsOf('GET', `/api/v1/link?limit=25&${query}`);
    expect([query, response.json.links.length]).toEqual([query, 25]);
    expect(roundTrips).toBeLessThanOrEqual(4);
  }
});

test('a creation is one statement', async () => {
  const body = { destination_url: 'https://destination.example' };
  const { response, statements, roundTrips } = await statementsOf('POST', '/api/v1/link?disable_png=true', {
    body,
  });
  expect([response.status, statements, roundTrips]).toEqual([201, 1, 1]);
});

test('a creation with a suffix is a transaction of three round trips, the last of which commits', async () => {
  let count = 0;
  const send = {
    get body() {
      return { destination_url: 'https://destination.example', suffix: `chosen-${count++}` };
    },
  };
  const { response, statements, roundTrips } = await statementsOf(
    'POST',
    '/api/v1/link?disable_png=true',
    send,
  );
  expect([response.status, statements, roundTrips]).toEqual([201, 3, 3]);
});
