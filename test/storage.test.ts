import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { insertOrganization } from '../src/storage/accounts/users.ts';
import { changesFrom } from '../src/storage/changes.ts';
import { type Database, NotUnique } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/drivers/postgres.ts';
import { openSqlite } from '../src/storage/drivers/sqlite.ts';
import { openDatabase } from '../src/storage/open.ts';
import type { Queries } from '../src/storage/schema.ts';
import { claimSetting, findSetting, replaceSetting } from '../src/storage/settings.ts';
import { insertTag, renameTag } from '../src/storage/tags.ts';
import { type StoreKind, storeKinds } from './support/app.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { freshPostgres } from './support/postgres.ts';
import { temporaryFolder } from './support/program.ts';

const ignoreFault = () => {};
/** Bun's own `rejects` blocks the event loop that the store's threads need. */
const causeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (cause) => cause,
  );

describe.each(storeKinds)('the store on %s', (kind: StoreKind) => {
  let folder: Awaited<ReturnType<typeof storeFolder>>;
  let url: string | null;
  let database: Database;

  beforeAll(async () => {
    folder = await storeFolder();
    url = kind === 'postgres' ? await migratedPostgres() : null;
    database = await openDatabase(url, folder.path, ignoreFault);
  });
  afterAll(async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  test('a change is atomic', async () => {
    const broken = database.write(async (queries) => {
      await replaceSetting(queries, 'half', 'done');
      throw new Error('stop here');
    });
    expect(await causeOf(broken)).toHaveProperty('message', 'stop here');
    expect(await findSetting(database.read, 'half')).toBeNull();
  });

  test('of changes that share a commit, a failing one fails alone', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        database.write(async (queries) => {
          await replaceSetting(queries, `shared ${index}`, 'kept');
          if (index % 3 === 0) throw new Error('not this one');
          return index;
        }),
      ),
    );
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome.status).toBe(index % 3 === 0 ? 'rejected' : 'fulfilled');
      expect(await findSetting(database.read, `shared ${index}`)).toBe(index % 3 === 0 ? null : 'kept');
    }
  });

  test('a change that is alone in its commit, and fails, leaves nothing behind and delays no other', async () => {
    for (const name of ['lonely 1', 'lonely 2']) {
      const broken = database.write(async (queries) => {
        await replaceSetting(queries, name, 'half');
        await sql`insert into settings (key, value) values ('lonely', null)`.execute(queries);
      });
      expect(await causeOf(broken)).toBeInstanceOf(Error);
      expect(await findSetting(database.read, name)).toBeNull();
    }
    await database.write((queries) => replaceSetting(queries, 'lonely 3', 'kept'));
    expect(await findSetting(database.read, 'lonely 3')).toBe('kept');
  });

  test('a violated unique constraint is reported as such, and the next change succeeds', async () => {
    const organization = await database.write((queries) => insertOrganization(queries, 'o', 1));
    const tag = (name: string) => database.write((queries) => insertTag(queries, organization, name, 1));
    const [one] = [await tag('one'), await tag('two')];
    const clash = database.write((queries) => renameTag(queries, organization, one?.id ?? 0, 'TWO'));
    expect(await causeOf(clash)).toBeInstanceOf(NotUnique);
    expect(await tag('three')).not.toBeNull();
  });

  test('of many simultaneous claims of one setting, one succeeds', async () => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        database.write((queries) => claimSetting(queries, 'claim', String(index))),
      ),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test('a new store that is opened three times at once is ready for each', async () => {
    await using shared = await temporaryFolder();
    const fresh = kind === 'postgres' ? await freshPostgres() : null;
    const opened = await Promise.all(
      Array.from({ length: 3 }, () => openDatabase(fresh, shared.path, ignoreFault)),
    );
    for (const one of opened) expect(await changesFrom(one.read, 0, 1)).toEqual([]);
    for (const one of opened) await one.close();
  });

  test('numbers are returned as numbers, up to the largest safe one', async () => {
    const big = Number.MAX_SAFE_INTEGER;
    const row = await database.write((queries: Queries) =>
      queries
        .insertInto('organizations')
        .values({ name: 'big', created_at: big })
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    expect(row.created_at).toBe(big);
    expect(typeof row.id).toBe('number');
  });

  test('a deleted link keeps every column that a link has', async () => {
    const columnsOf = async (table: string) => {
      const found =
        kind === 'sqlite'
          ? sql<{ name: string }>`select name from pragma_table_info(${table})`
          : sql<{
              name: string;
            }>`select column_name as name from information_schema.columns where table_name = ${table}`;
      return (await found.execute(database.read)).rows.map(({ name }) => name).sort();
    };
    const kept = (await columnsOf('link_bin')).filter(
      (name) => name !== 'deleted_at' && name !== 'emptied_at',
    );
    expect(kept.length).toBeGreaterThan(20);
    expect(kept).toEqual(await columnsOf('links'));
  });

  test('statements that a change sends at once are all stored, or none', async () => {
    const writeThree = (name: string) =>
      database.write(async (queries) => {
        await Promise.all([
          replaceSetting(queries, `${name} 1`, 'x'),
          replaceSetting(queries, `${name} 2`, 'x'),
          name === 'broken'
            ? sql`insert into settings (key, value) values ('broken 3', null)`.execute(queries)
            : replaceSetting(queries, `${name} 3`, 'x'),
        ]);
      });
    const [whole, broken] = await Promise.all([causeOf(writeThree('whole')), causeOf(writeThree('broken'))]);
    expect([whole, broken instanceof Error]).toEqual([null, true]);
    expect(await findSetting(database.read, 'whole 3')).toBe('x');
    for (const number of [1, 2, 3]) expect(await findSetting(database.read, `broken ${number}`)).toBeNull();
  });

  test('a change without queries is carried out too', async () => {
    expect(await Promise.all([database.write(async () => 1), database.write(async () => 2)])).toEqual([1, 2]);
    expect(String(await causeOf(database.write(async () => Promise.reject(new Error('no')))))).toContain(
      'no',
    );
  });

  test('changes of one kind that arrive while the store is busy are made together, each with its own outcome', async () => {
    const { promise: open, resolve: opened } = Promise.withResolvers<void>();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const batches: (readonly string[])[] = [];
    const insert = async (queries: Queries, keys: readonly string[]) => {
      batches.push(keys);
      if (keys.includes('waits')) {
        opened();
        await mayEnd;
      }
      for (const key of keys) await replaceSetting(queries, `together ${key}`, 'x');
      if (keys.includes('broken')) throw new Error('this one is broken');
      return keys.map((key) => `made ${key}`);
    };
    // The other changes wait for this one.
    const firstChange = database.writeBatched('waits', insert);
    await open;
    const keys = ['one', 'two', 'broken', 'three', 'four', 'five'];
    const rest = keys.map((key) => database.writeBatched(key, insert));
    const other = database.write((queries) => replaceSetting(queries, 'other change', 'x'));
    const closing = Promise.allSettled([...rest, other]);
    end();
    expect(await firstChange).toBe('made waits');
    const outcomes = await closing;
    expect(outcomes.slice(0, 6).map((outcome) => (outcome as { value?: string }).value ?? 'failed')).toEqual([
      'made one',
      'made two',
      'failed',
      'made three',
      'made four',
      'made five',
    ]);
    expect(outcomes[6]?.status).toBe('fulfilled');
    // Several of the waiting changes shared a batch with the broken one, and were then made one by one.
    const several = batches.find((batch) => batch.length > 1 && batch.includes('broken')) ?? [];
    expect(several.length).toBeGreaterThan(1);
    for (const key of several) expect(batches).toContainEqual([key]);
    for (const key of ['one', 'two', 'three', 'four', 'five'])
      expect(await findSetting(database.read, `together ${key}`)).toBe('x');
    expect(await findSetting(database.read, 'together broken')).toBeNull();
    expect(await findSetting(database.read, 'other change')).toBe('x');
  });

  test('a store migrated by a newer Linnet is refused once it requires that version, and not before', async () => {
    await using other = await storeFolder();
    const fresh = kind === 'postgres' ? await migratedPostgres() : null;
    const newer = await openDatabase(fresh, other.path, ignoreFault);
    await newer.write((queries) =>
      queries
        .insertInto('migrations' as never)
        .values({ number: 9999 } as never)
        .execute(),
    );
    await (await openDatabase(fresh, other.path, ignoreFault)).close();
    await newer.write((queries) => replaceSetting(queries, 'least_migration', '9999'));
    await newer.close();
    expect(String(await causeOf(openDatabase(fresh, other.path, ignoreFault)))).toContain('newer Linnet');
  });

  test('an empty store gets all tables or none', async () => {
    await using other = await temporaryFolder();
    const fresh = kind === 'postgres' ? await freshPostgres() : null;
    const empty = fresh === null ? await openSqlite(other.path, () => {}) : openPostgres(fresh, ignoreFault);
    // A migration in the middle creates a table of this name.
    await empty.write((queries) => sql`create table nodes (id integer)`.execute(queries));
    expect(String(await causeOf(openDatabase(fresh, other.path, ignoreFault)))).toContain('nodes');
    expect(await causeOf(sql`select 1 from links`.execute(empty.read))).not.toBeNull();
    await empty.write((queries) => sql`drop table nodes`.execute(queries));
    await (await openDatabase(fresh, other.path, ignoreFault)).close();
    await empty.close();
  });
});

test('a migration keeps temporary tables on disk, and other changes keep them in memory, on sqlite', async () => {
  await using folder = await storeFolder();
  const database = await openDatabase(null, folder.path, ignoreFault);
  const tempStoreOf = async (queries: Queries) =>
    (await sql<{ place: number }>`select temp_store as place from pragma_temp_store`.execute(queries)).rows[0]
      ?.place;
  const [onDisk, inMemory] = [1, 2];
  expect(await database.write(tempStoreOf)).toBe(inMemory);
  const [migrated, other] = await Promise.all([
    database.migrate(tempStoreOf),
    database.write(async () => 'done'),
  ]);
  expect([migrated, other]).toEqual([onDisk, 'done']);
  await causeOf(database.migrate(async () => Promise.reject(new Error('stop here'))));
  expect(await database.write(tempStoreOf)).toBe(inMemory);
  await database.close();
});

test('a migration has no timeout on postgres', async () => {
  const database = openPostgres(await freshPostgres(), () => {});
  const statementTimeoutOf = async (queries: Queries) =>
    (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(queries)).rows[0]
      ?.statement_timeout;
  expect(await database.write(statementTimeoutOf)).toBe('7500ms');
  expect(await database.migrate(statementTimeoutOf)).toBe('0');
  await database.close();
});
