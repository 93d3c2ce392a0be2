import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { LostChanges } from '../src/compose/lost-changes.ts';
import { deleteOldChanges, recordChange } from '../src/storage/changes.ts';
import { newestLinks } from '../src/storage/links/newest-links.ts';
import { openDatabase } from '../src/storage/open.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { PostgresServer } from './support/postgres.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const server = new PostgresServer();
/** Two nodes over one database. */
let firstNode: TestApp;
let secondNode: TestApp;
let owner: TestAccount;
const token = 'a-token-of-sixteen';
/** Log lines of the first node. */
const logged: Record<string, unknown>[] = [];
let url: string;

beforeAll(async () => {
  url = await server.url();
  const env = { SECRET_KEY, DATABASE_URL: `${url}?connect_timeout=60` };
  firstNode = await startApp({
    env: { ...env, METRICS_TOKEN: token },
    overrides: { log: new Log('info', (line) => logged.push(JSON.parse(line))) },
  });
  // The default interval of the change feed.
  secondNode = await startApp({ env, overrides: { pollInterval: 400 } });
  owner = await firstNode.createAccount();
});
afterAll(async () => {
  await Promise.all([firstNode.stop(), secondNode.stop()]);
  await server.stop();
});

/** Calls that were refused because the database was unavailable or slow. Some of them may still have changed something. */
let refusedCalls = 0;

/** Repeats refused calls. */
async function call(method: string, path: string, body?: object) {
  for (;;) {
    const response = await firstNode.call(method, path, { key: owner.key, body });
    if (response.status !== 503) return response;
    refusedCalls += 1;
    // Leaves CPU for the promotion.
    await Bun.sleep(20);
  }
}

async function createLink(): Promise<{ id: number; path: string }> {
  const body = { destination_url: 'https://destination.example/first' };
  const { json } = await call('POST', '/api/v1/link?disable_png=true', body);
  return { id: json.id, path: `/${json.suffix}` };
}

const secondDestination = { destination_url: 'https://destination.example/second' };

async function metric(name: string): Promise<number> {
  const { text } = await firstNode.call('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const changesLost = () => metric('linnet_changes_lost_total');

/** Waits until the first node has read everything in the feed. */
async function readFeed(): Promise<void> {
  // The current read may have begun before the last change; the next one begins after it.
  for (let read = 0; read < 2; read++) {
    firstNode.clock.now += 1_000;
    await eventuallyUnderLoad(
      async () => (await metric('linnet_feed_lag_seconds')) === 0,
      'a read of the feed',
    );
  }
}

/** Where the second node redirects a visitor, or the status if it does not. */
async function destinationOf(path: string): Promise<string | number> {
  const response = await secondNode.visit(path);
  return response.headers.get('location')?.replace('https://destination.example/', '') ?? response.status;
}

const eventuallyUnderLoad = (check: () => Promise<boolean>, what: string) =>
  eventually(check, what, scaledToLoad(5_000));

test.each(['promotion of a replica that lagged', 'restore'])(
  'after the %s no node uses data that the database no longer has',
  async (kind) => {
    const [unchanged, changed, deleted, kept] = [
      await createLink(),
      await createLink(),
      await createLink(),
      await createLink(),
    ];
    await server.saveFiles();
    // It may have last read the feed while the replica wasn't promoted yet, and would begin anew among the changes below.
    await readFeed();
    const { database } = firstNode.app.context;
    const page = { organizationId: owner.organizationId, below: unchanged.id + 1, offset: 0, limit: 1 };
    const newest = async () => (await newestLinks(database, page).catch(() => null))?.links[0];
    let cached: Awaited<ReturnType<typeof newest>>;
    await eventuallyUnderLoad(async () => {
      cached = await newest();
      return cached !== undefined && (await newest()) === cached;
    }, 'a page to be cached');
    logged.length = 0;
    refusedCalls = 0;
    const countedBefore = await changesLost();
    for (let times = 0; times < 30; times++)
      await call('PATCH', `/api/v1/link/${changed.id}`, { ...secondDestination, name: `change ${times}` });
    const lost = await createLink();
    const tag = (await call('POST', '/api/v1/tag', { name: 'lost' })).json.id;
    await call('PATCH', '/api/v1/organization', { name: kind });
    await eventuallyUnderLoad(async () => (await destinationOf(changed.path)) === 'second', 'the change');
    for (const { path } of [deleted, kept, lost]) expect(await destinationOf(path)).toBe('first');
    await readFeed();
    const refusedBefore = refusedCalls;

    if (kind === 'restore') await server.restoreFiles();
    else await server.promoteReplica();
    await call('DELETE', `/api/v1/link/${deleted.id}`);
    const isConsistent = async () =>
      (await destinationOf(deleted.path)) === 404 &&
      (await destinationOf(lost.path)) === 404 &&
      (await destinationOf(changed.path)) === 'first';
    await eventuallyUnderLoad(isConsistent, 'the second node to drop what the database no longer has');
    await call('PATCH', `/api/v1/link/${kept.id}`, secondDestination);
    await eventuallyUnderLoad(async () => (await destinationOf(kept.path)) === 'second', 'the next change');
    await eventuallyUnderLoad(
      async () => ![cached, undefined].includes(await newest()),
      'the cached pages to be dropped',
    );

    const lossWarnings = () => logged.filter(({ event }) => event === 'changes lost');
    await eventuallyUnderLoad(async () => lossWarnings().length > 0, 'the warning about lost changes');
    const [{ changes, of } = {}, ...more] = lossWarnings();
    expect(more).toEqual([]);
    expect(changes).toBeWithin(33, 34 + refusedBefore);
    expect(of).toEqual(
      expect.arrayContaining([
        ...[changed, lost].map(({ path }) => expect.stringMatching(new RegExp(`^http://.*${path}$`))),
        `tag ${tag}`,
        expect.stringMatching(/^organization \d+$/),
      ]),
    );
    // A creation that was refused may have been carried out all the same.
    expect((of as string[]).length).toBeWithin(4, 5 + refusedBefore);
    expect((await changesLost()) - countedBefore).toBe(Number(changes));
  },
);

test('after a restore no node uses links that it loaded before it could read their changes', async () => {
  const [changed, kept] = [await createLink(), await createLink()];
  await server.saveFiles();
  await eventuallyUnderLoad(
    async () => (await destinationOf(kept.path)) === 'first',
    'the second node to reach the database',
  );
  logged.length = 0;
  firstNode.clock.now += 10_000;
  await call('PATCH', `/api/v1/link/${changed.id}`, secondDestination);
  const lost = await createLink();
  expect(await destinationOf(changed.path)).toBe('second');
  expect(await destinationOf(lost.path)).toBe('first');

  await server.restoreFiles();
  const isConsistent = async () =>
    (await destinationOf(lost.path)) === 404 && (await destinationOf(changed.path)) === 'first';
  await eventuallyUnderLoad(isConsistent, 'the second node to drop what the database no longer has');
  const isNamed = ({ path }: { path: string }) =>
    logged.some(
      ({ event, of }) => event === 'changes lost' && (of as string[]).some((url) => url.endsWith(path)),
    );
  await eventuallyUnderLoad(async () => isNamed(changed) && isNamed(lost), 'the warning about lost changes');
});

describe('ids in blocks', () => {
  let firstSession: SQL;
  let secondSession: SQL;
  beforeEach(async () => {
    const admin = new SQL({ url, max: 1 });
    await admin.unsafe(`do $$ begin execute format('alter sequence %s cache 50',
      pg_get_serial_sequence('changes', 'id')); end $$`);
    await admin.end();
    [firstSession, secondSession] = [new SQL({ url, max: 1 }), new SQL({ url, max: 1 })];
  });

  test('are followed, even if a session uses the rest of its block an hour later', async () => {
    const { id, path } = await createLink();
    expect(await destinationOf(path)).toBe('first');
    const insertChange = async (session: SQL): Promise<number> => {
      const [row] = await session.unsafe(
        `insert into changes (at, domain_id, suffixes) values (${Date.now()}, 0, '${path.slice(1)}') returning id`,
      );
      return Number(row.id);
    };
    const first = await insertChange(firstSession);
    expect(await insertChange(secondSession)).toBe(first + 50);
    await eventually(async () => {
      secondNode.clock.now += 10_000;
      // The feed is polled at each of these times.
      await Bun.sleep(200);
      return secondNode.clock.now > Date.now() + 120_000;
    }, 'the clock of the second node');
    expect(await destinationOf(path)).toBe('first');
    await firstSession.unsafe(
      `update links set destination_url = '${secondDestination.destination_url}' where id = ${id}`,
    );
    expect(await insertChange(firstSession)).toBe(first + 1);
    secondNode.clock.now += 2_000;
    await eventuallyUnderLoad(
      async () => (await destinationOf(path)) === 'second',
      'the change with the lower id',
    );
    await Promise.all([firstSession.end(), secondSession.end()]);
  });
});

test('the newest of the expired changes is kept, because it identifies the state of the feed', async () => {
  const database = await openDatabase(url, '', () => {});
  const before = Date.now() + 1_000_000;
  await database.write((queries) => deleteOldChanges(queries, before, 1_000));
  const remaining = await database.read.selectFrom('changes').select('id').execute();
  expect(remaining).toHaveLength(1);
  await database.close();
});

test('the warning names lost changes of this process that it had not read from the feed, but no existing ones', async () => {
  const database = await openDatabase(url, '', () => {});
  const warnings: Record<string, unknown>[] = [];
  const lostChanges = new LostChanges({
    lookup: database.lookup,
    linkUrl: (host, suffix) => `https://${host ?? 'default.example'}/${suffix}`,
    warn: (event, facts) => warnings.push({ event, ...facts }),
    now: Date.now,
  });
  const recordMade = (suffix: string) =>
    lostChanges.committed({ links: [{ domainId: 0, suffix }], hosts: [] });
  const now = Date.now();
  await database.write((queries) => recordChange(queries, { domain_id: 0, suffix: 'there' }, now));
  recordMade('there');
  recordMade('gone');
  recordMade('gone');
  lostChanges.read({ id: 1, at: now - 60_000, domain_id: 0, suffixes: 'gone' });
  lostChanges.feedResumed();
  await eventually(() => warnings.length > 0, 'the warning');
  expect(warnings).toEqual([
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
