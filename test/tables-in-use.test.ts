import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import type { Database, LockHolder } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/drivers/postgres.ts';
import { buildIndexes, indexBuilds } from '../src/storage/index-builds.ts';
import { lastExclusiveMigration, statementsOf } from '../src/storage/migrate.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { prepared } from '../src/storage/prepared.ts';
import type { Queries } from '../src/storage/schema.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

let url: string;
let database: Database;
let otherSessions: SQL;

beforeAll(async () => {
  url = await migratedPostgres();
  database = openPostgres(url, () => {});
  otherSessions = new SQL({ url, max: 4 });
  await otherSessions.unsafe(
    `insert into words (word) select 'word ' || i from generate_series(1, 2000) as i`,
  );
}, 60_000);
afterAll(async () => {
  await otherSessions.end();
  await database.close();
});

/** Runs a statement in a transaction that holds its locks until it is disposed of. */
async function holdLocks(statement: string) {
  const session = await otherSessions.reserve();
  await session.unsafe('begin');
  await session.unsafe(statement);
  return {
    async [Symbol.asyncDispose]() {
      await session.unsafe('commit');
      session.release();
    },
  };
}

const build = (name: string, statement = `create index ${name} on words (length(word))`) =>
  indexBuilds([{ number: 1, statements: [statement] }]);

const isValid = async (name: string): Promise<boolean | undefined> =>
  (
    await otherSessions.unsafe(
      `select indisvalid as valid from pg_index where indexrelid = to_regclass('${name}')`,
    )
  )[0]?.valid;

test('a change to a table in use retries briefly, logs which sessions hold it, and succeeds in the end', async () => {
  const reports: (readonly LockHolder[])[] = [];
  let isDone = false;
  let change: Promise<void>;
  {
    await using _ = await holdLocks('select count(*) from words');
    change = database.migrate(
      async (queries) => {
        await sql`alter table words add column first_seen bigint`.execute(queries);
      },
      (holders) => reports.push(holders),
    );
    change.finally(() => {
      isDone = true;
    });
    await eventually(() => reports.length > 1, 'two reports of the wait');
    const start = performance.now();
    for (let time = 0; time < 20; time++)
      await database.lookup.selectFrom('words').select('id').limit(1).execute();
    expect(performance.now() - start).toBeLessThan(scaledToLoad(15_000));
    expect(isDone).toBe(false);
    expect(reports[0]).toEqual([
      expect.objectContaining({ state: 'idle in transaction', query: 'select count(*) from words' }),
    ]);
  }
  await change;
  await database.lookup
    .selectFrom('words')
    .select('first_seen' as never)
    .limit(1)
    .execute();
});

test('named statements still work when a newer node adds a column to their table', async () => {
  const named = openPostgres(url, () => {});
  const select = prepared((queries, key: string) =>
    queries.selectFrom('settings').selectAll().where('key', '=', key).compile(),
  );
  const update = prepared((queries, key: string) =>
    queries.updateTable('settings').set({ value: '' }).where('key', '=', key).returningAll().compile(),
  );
  const settings = (queries: Queries) => select(queries, 'none');
  const change = (queries: Queries) => update(queries, 'none');
  // Several connections have prepared each statement.
  const all = () =>
    Promise.all(
      Array.from({ length: 4 }, async () => [
        await settings(named.read),
        await settings(named.lookup),
        await named.write(change),
        await named.write(async (queries) => [await change(queries), await settings(queries)]),
      ]),
    );
  const before = await all();
  await otherSessions.unsafe('alter table settings add column note text');
  expect(await all()).toEqual(before);
  await otherSessions.unsafe('alter table settings drop column note');
  expect(await all()).toEqual(before);
  await named.close();
});

test('an index is built while other sessions write to the table; only the build waits', async () => {
  const reports: (readonly LockHolder[])[] = [];
  let building: Promise<void>;
  {
    await using _ = await holdLocks(`insert into words (word) values ('not yet there')`);
    building = buildIndexes(database, build('words_length'), (holders) => reports.push(holders));
    await eventually(async () => (await isValid('words_length')) === false, 'the build to begin');
    await otherSessions.unsafe(`insert into words (word) values ('meanwhile')`);
    await eventually(() => reports.length > 0, 'a report of the wait');
    expect(reports[0]?.[0]?.query).toContain('not yet there');
    expect(await isValid('words_length')).toBe(false);
  }
  await building;
  expect(await isValid('words_length')).toBe(true);
});

test.skipIf(!hasPgBouncer)(
  'changes and index builds work through a pooler, which assigns a connection to each transaction',
  async () => {
    await using pooler = await startPgBouncer(url);
    const pooled = openPostgres(pooler.url, () => {});
    const reports: (readonly LockHolder[])[] = [];
    let change: Promise<unknown>;
    {
      await using _ = await holdLocks('select count(*) from words');
      change = pooled
        .migrate(
          (queries) => sql`alter table words add column pooled bigint`.execute(queries),
          (holders) => reports.push(holders),
        )
        .then(() =>
          buildIndexes(pooled, build('words_pooled', 'create index words_pooled on words (pooled)')),
        );
      await eventually(() => reports.length > 0, 'a report of the wait');
      expect(reports[0]?.[0]?.query).toBe('select count(*) from words');
    }
    await change;
    expect(await isValid('words_pooled')).toBe(true);
    await pooled.close();
  },
);

test('nodes that start at once build an index once, and a valid index is not rebuilt', async () => {
  const second = openPostgres(url, () => {});
  await Promise.all([database, second].map((one) => buildIndexes(one, build('words_once'))));
  const oidOf = async () =>
    (await otherSessions.unsafe(`select 'words_once'::regclass::oid::integer as number`))[0]?.number;
  const first = await oidOf();
  await buildIndexes(second, build('words_once'));
  expect([await isValid('words_once'), await oidOf()]).toEqual([true, first]);
  await second.close();
});

test('the remains of an interrupted build are dropped and rebuilt', async () => {
  await otherSessions.unsafe(`create table twice (word text)`);
  await otherSessions.unsafe(`insert into twice values ('a'), ('a')`);
  const unique = build('twice_word', 'create unique index twice_word on twice (word)');
  const broken = await buildIndexes(database, unique).then(
    () => null,
    (cause: Error) => cause.message,
  );
  expect(broken).toContain('twice_word');
  expect(await isValid('twice_word')).toBe(false);
  await otherSessions.unsafe('delete from twice where ctid = (select min(ctid) from twice)');
  await buildIndexes(database, unique);
  expect(await isValid('twice_word')).toBe(true);
});

test('a build that continues for a node that is gone is awaited', async () => {
  let building: Promise<void>;
  const otherNode = new SQL({ url, max: 1 });
  let abandoned: Promise<unknown>;
  {
    await using _ = await holdLocks(`insert into words (word) values ('still open')`);
    abandoned = otherNode.unsafe('create index concurrently words_gone on words (length(word))');
    abandoned.catch(() => {});
    await eventually(async () => (await isValid('words_gone')) === false, 'the build to begin');
    building = buildIndexes(database, build('words_gone'));
  }
  await Promise.all([building, abandoned]);
  expect(await isValid('words_gone')).toBe(true);
  await otherNode.end();
});

test('a build that continues for a node that is gone, and waits for the transaction of a start, is awaited', async () => {
  const hasRows = (query: string) => async () => (await otherSessions.unsafe(query)).length > 0;
  const startWaits = hasRows(
    `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'select number from migrations%'`,
  );
  const buildWaits = hasRows(
    `select from pg_stat_progress_create_index where phase = 'waiting for old snapshots' and datname = current_database()`,
  );
  const otherNode = new SQL({ url, max: 1 });
  let building: Promise<void>;
  let abandoned: Promise<unknown>;
  {
    await using _ = await holdLocks('select number from migrations where number = 1 for update');
    {
      await using _ = await holdLocks(`insert into words (word) values ('open as well')`);
      abandoned = otherNode.unsafe('create index concurrently words_mutual on words (length(word))');
      abandoned.catch(() => {});
      await eventually(async () => (await isValid('words_mutual')) === false, 'the build to begin');
      building = buildIndexes(database, build('words_mutual'));
      await eventually(startWaits, 'the start to wait for its turn');
    }
    await eventually(buildWaits, 'the build to wait for the start');
  }
  await Promise.all([building, abandoned]);
  expect(await isValid('words_mutual')).toBe(true);
  await otherNode.end();
});

test('the ledger, which is partitioned by month, gets its index at once', async () => {
  await buildIndexes(database, build('hits_country', 'create index hits_country on hits (country)'));
  expect(await isValid('hits_country')).toBe(true);
});

test('indexes built later are the same as those of a new store', async () => {
  const later = Array.from({ length: newestMigration - lastExclusiveMigration }, (_, index) => {
    const number = lastExclusiveMigration + 1 + index;
    return { number, statements: statementsOf('postgres', number) };
  });
  for (const { name } of indexBuilds(later)) expect([name, await isValid(name)]).toEqual([name, true]);
});
