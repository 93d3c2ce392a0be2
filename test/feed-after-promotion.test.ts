import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { LostChanges } from '../src/compose/lost-changes.ts';
import { deleteOldChanges, recordChange } from '../src/storage/changes.ts';
import { newestLinks } from '../src/storage/newest-links.ts';
import { openDatabase } from '../src/storage/open.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { PostgresServer } from './support/postgres.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

const SECRET_KEY = 'the same secret on every node, long enough';
const server = new PostgresServer();
/** Two nodes over one database. */
let one: TestApp;
let other: TestApp;
let owner: TestAccount;
const token = 'a-token-of-sixteen';
/** Log lines of the first node. */
const logged: Record<string, unknown>[] = [];
let url: string;

beforeAll(async () => {
  url = await server.url();
  const env = { SECRET_KEY, DATABASE_URL: `${url}?connect_timeout=60` };
  one = await startApp({
    env: { ...env, METRICS_TOKEN: token },
    overrides: { log: new Log('info', (line) => logged.push(JSON.parse(line))) },
  });
  // The default interval of the change feed.
  other = await startApp({ env, overrides: { pollInterval: 400 } });
  owner = await one.createAccount();
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await server.stop();
});

/** Calls that were refused because the database was away or slow. Some of them may have changed something all the same. */
let refused = 0;

/** Repeats refused calls. */
async function call(method: string, path: string, body?: object) {
  for (;;) {
    const answer = await one.call(method, path, { key: owner.key, body });
    if (answer.status !== 503) return answer;
    refused += 1;
    await Bun.sleep(20);
  }
}

async function make(): Promise<{ id: number; path: string }> {
  const body = { destination_url: 'https://destination.example/first' };
  const { json } = await call('POST', '/api/v1/link?disable_png=true', body);
  return { id: json.id, path: `/${json.suffix}` };
}

const second = { destination_url: 'https://destination.example/second' };

async function metric(name: string): Promise<number> {
  const { text } = await one.call('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const changesLost = () => metric('linnet_changes_lost_total');

/** Waits until the first node has read everything in the feed. */
async function readFeed(): Promise<void> {
  // The read that is under way may have begun before the last change; the one after it has not.
  for (let look = 0; look < 2; look++) {
    one.clock.now += 1_000;
    await soon(async () => (await metric('linnet_feed_lag_seconds')) === 0, 'a look at the feed');
  }
}

/** Where the other node sends a visitor, or the status of its refusal. */
async function target(path: string): Promise<string | number> {
  const answer = await other.visit(path);
  return answer.headers.get('location')?.replace('https://destination.example/', '') ?? answer.status;
}

const soon = (check: () => Promise<boolean>, what: string) => eventually(check, what, scaledToLoad(5_000));

test.each(['promotion of a replica that lagged', 'restore'])(
  'after the %s no node uses data that the database no longer has',
  async (kind) => {
    const [still, changed, deleted, kept] = [await make(), await make(), await make(), await make()];
    await server.keep();
    const { database } = one.app.context;
    const page = { organizationId: owner.organizationId, below: still.id + 1, offset: 0, limit: 1 };
    const newest = async () => (await newestLinks(database, page).catch(() => null))?.links[0];
    let cached: Awaited<ReturnType<typeof newest>>;
    await soon(async () => {
      cached = await newest();
      return cached !== undefined && (await newest()) === cached;
    }, 'a page to be cached');
    logged.length = 0;
    refused = 0;
    const countedBefore = await changesLost();
    for (let times = 0; times < 30; times++) await call('PATCH', `/api/v1/link/${changed.id}`, second);
    const lost = await make();
    const tag = (await call('POST', '/api/v1/tag', { name: 'lost' })).json.id;
    await call('PATCH', '/api/v1/organization', { name: kind });
    await soon(async () => (await target(changed.path)) === 'second', 'the change');
    for (const { path } of [deleted, kept, lost]) expect(await target(path)).toBe('first');
    await readFeed();
    const refusedBefore = refused;

    if (kind === 'restore') await server.restore();
    else await server.promoteReplica();
    await call('DELETE', `/api/v1/link/${deleted.id}`);
    const isRight = async () =>
      (await target(deleted.path)) === 404 &&
      (await target(lost.path)) === 404 &&
      (await target(changed.path)) === 'first';
    await soon(isRight, 'the other node to forget what the database no longer has');
    await call('PATCH', `/api/v1/link/${kept.id}`, second);
    await soon(async () => (await target(kept.path)) === 'second', 'the next change');
    await soon(async () => ![cached, undefined].includes(await newest()), 'cached pages to be forgotten');

    const told = () => logged.filter(({ event }) => event === 'changes lost');
    await soon(async () => told().length > 0, 'word of what is lost');
    const [{ changes, of } = {}, ...more] = told();
    expect(more).toEqual([]);
    expect(changes).toBeWithin(33, 34 + refusedBefore);
    expect(of).toEqual([
      ...[changed, lost].map(({ path }) => expect.stringMatching(new RegExp(`^http://.*${path}$`))),
      `tag ${tag}`,
      expect.stringMatching(/^organization \d+$/),
    ]);
    expect((await changesLost()) - countedBefore).toBe(Number(changes));
  },
);

test('after a restore no node uses links that it loaded before it could read their changes', async () => {
  const [changed, kept] = [await make(), await make()];
  await server.keep();
  await soon(async () => (await target(kept.path)) === 'first', 'the other node to reach the database');
  logged.length = 0;
  one.clock.now += 10_000;
  await call('PATCH', `/api/v1/link/${changed.id}`, second);
  const lost = await make();
  expect(await target(changed.path)).toBe('second');
  expect(await target(lost.path)).toBe('first');

  await server.restore();
  const isRight = async () => (await target(lost.path)) === 404 && (await target(changed.path)) === 'first';
  await soon(isRight, 'the other node to forget what the database no longer has');
  const isNamed = ({ path }: { path: string }) =>
    logged.some(
      ({ event, of }) => event === 'changes lost' && (of as string[]).some((url) => url.endsWith(path)),
    );
  await soon(async () => isNamed(changed) && isNamed(lost), 'word of what is lost');
});

describe('ids in blocks', () => {
  let early: SQL;
  let late: SQL;
  beforeEach(async () => {
    const admin = new SQL({ url, max: 1 });
    await admin.unsafe(`do $$ begin execute format('alter sequence %s cache 50',
      pg_get_serial_sequence('changes', 'id')); end $$`);
    await admin.end();
    [early, late] = [new SQL({ url, max: 1 }), new SQL({ url, max: 1 })];
  });

  test('are followed, even if a session uses the rest of its block an hour later', async () => {
    const { id, path } = await make();
    expect(await target(path)).toBe('first');
    const note = async (session: SQL): Promise<number> => {
      const [row] = await session.unsafe(
        `insert into changes (at, domain_id, suffixes) values (${Date.now()}, 0, '${path.slice(1)}') returning id`,
      );
      return Number(row.id);
    };
    const first = await note(early);
    expect(await note(late)).toBe(first + 50);
    await eventually(async () => {
      other.clock.now += 10_000;
      await Bun.sleep(200);
      return other.clock.now > Date.now() + 120_000;
    }, 'the clock of the other node');
    expect(await target(path)).toBe('first');
    await early.unsafe(`update links set destination_url = '${second.destination_url}' where id = ${id}`);
    expect(await note(early)).toBe(first + 1);
    other.clock.now += 2_000;
    await soon(async () => (await target(path)) === 'second', 'the change with the lower id');
    await Promise.all([early.end(), late.end()]);
  });
});

test('of expired changes the newest stays, because it identifies the state of the feed', async () => {
  const database = await openDatabase(url, '', () => {});
  const before = Date.now() + 1_000_000;
  await database.write((queries) => deleteOldChanges(queries, before, 1_000));
  const left = await database.read.selectFrom('changes').select('id').execute();
  expect(left).toHaveLength(1);
  await database.close();
});

test("lost changes by this process that it had not read from the feed are named, existing ones aren't", async () => {
  const database = await openDatabase(url, '', () => {});
  const told: Record<string, unknown>[] = [];
  const lostChanges = new LostChanges({
    lookup: database.lookup,
    linkUrl: (host, suffix) => `https://${host ?? 'default.example'}/${suffix}`,
    warn: (event, facts) => told.push({ event, ...facts }),
    now: Date.now,
  });
  const made = (suffix: string) => lostChanges.made({ links: [{ domainId: 0, suffix }], hosts: [] });
  const now = Date.now();
  await database.write((queries) => recordChange(queries, { domain_id: 0, suffix: 'there' }, now));
  made('there');
  made('gone');
  made('gone');
  lostChanges.read({ id: 1, at: now - 60_000, domain_id: 0, suffixes: 'gone' });
  lostChanges.returned();
  await eventually(() => told.length > 0, 'word of it');
  expect(told).toEqual([
    {
      event: 'changes lost',
      changes: 1,
      since: expect.any(String),
      of: ['https://default.example/gone'],
      others: 0,
    },
  ]);
  await lostChanges.stop();
  await database.close();
});
