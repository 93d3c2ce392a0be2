import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { changesAfter } from '../src/storage/changes.ts';
import { type Database, NotUnique } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/drivers/postgres.ts';
import { openDatabase } from '../src/storage/open.ts';
import type { Queries } from '../src/storage/schema.ts';
import { claimSetting, findSetting, replaceSetting } from '../src/storage/settings.ts';
import { insertTag, renameTag } from '../src/storage/tags.ts';
import { insertOrganization } from '../src/storage/users.ts';
import { type StoreKind, storeKinds } from './support/app.ts';
import { freshPostgres } from './support/postgres.ts';
import { temporaryFolder } from './support/program.ts';

const failed = () => {};
/** Bun's own `rejects` stops the event loop that the store's threads need. */
const causeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (cause) => cause,
  );

describe.each(storeKinds)('the store on %s', (kind: StoreKind) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let url: string | null;
  let database: Database;

  beforeAll(async () => {
    folder = await temporaryFolder();
    url = kind === 'postgres' ? await freshPostgres() : null;
    database = await openDatabase(url, folder.path, failed);
  });
  afterAll(async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  test('a change is whole or not at all', async () => {
    const broken = database.write(async (queries) => {
      await replaceSetting(queries, 'half', 'done');
      throw new Error('stop here');
    });
    expect(await causeOf(broken)).toHaveProperty('message', 'stop here');
    expect(await findSetting(database.read, 'half')).toBeNull();
  });

  test('of changes that share a commit, one that fails takes nobody with it', async () => {
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

  test('a change that is alone in its commit, and fails, leaves nothing behind and nobody waiting', async () => {
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

  test('a broken rule of uniqueness is told as such, and the next change goes on', async () => {
    const organization = await database.write((queries) => insertOrganization(queries, 'o', 1));
    const tag = (name: string) => database.write((queries) => insertTag(queries, organization, name, 1));
    const [one] = [await tag('one'), await tag('two')];
    const clash = database.write((queries) => renameTag(queries, organization, one?.id ?? 0, 'TWO'));
    expect(await causeOf(clash)).toBeInstanceOf(NotUnique);
    expect(await tag('three')).not.toBeNull();
  });

  test('of many who claim one setting, one gets it', async () => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        database.write((queries) => claimSetting(queries, 'claim', String(index))),
      ),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test('two that open a fresh store at once both find it ready', async () => {
    await using shared = await temporaryFolder();
    const fresh = kind === 'postgres' ? await freshPostgres() : null;
    const opened = await Promise.all(
      Array.from({ length: 3 }, () => openDatabase(fresh, shared.path, failed)),
    );
    for (const one of opened) expect(await changesAfter(one.read, 0, 1)).toEqual([]);
    for (const one of opened) await one.close();
  });

  test('numbers come back as numbers, up to the largest safe one', async () => {
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

  test('statements that a change sends at once are all of it, or none', async () => {
    const both = (name: string) =>
      database.write(async (queries) => {
        await Promise.all([
          replaceSetting(queries, `${name} 1`, 'x'),
          replaceSetting(queries, `${name} 2`, 'x'),
          name === 'broken'
            ? sql`insert into settings (key, value) values ('broken 3', null)`.execute(queries)
            : replaceSetting(queries, `${name} 3`, 'x'),
        ]);
      });
    const [whole, broken] = await Promise.all([causeOf(both('whole')), causeOf(both('broken'))]);
    expect([whole, broken instanceof Error]).toEqual([null, true]);
    expect(await findSetting(database.read, 'whole 3')).toBe('x');
    for (const place of [1, 2, 3]) expect(await findSetting(database.read, `broken ${place}`)).toBeNull();
  });

  test('a change that asks nothing of the store is done all the same', async () => {
    expect(await Promise.all([database.write(async () => 1), database.write(async () => 2)])).toEqual([1, 2]);
    expect(String(await causeOf(database.write(async () => Promise.reject(new Error('no')))))).toContain(
      'no',
    );
  });

  test('a store that a newer Linnet set up is refused', async () => {
    await using other = await temporaryFolder();
    const fresh = kind === 'postgres' ? await freshPostgres() : null;
    const newer = await openDatabase(fresh, other.path, failed);
    await newer.write((queries) =>
      queries
        .insertInto('migrations' as never)
        .values({ number: 9999 } as never)
        .execute(),
    );
    await newer.close();
    expect(String(await causeOf(openDatabase(fresh, other.path, failed)))).toContain('newer Linnet');
  });
});

test('a change that is sent as a whole is done as a whole or not at all, between other changes on sqlite', async () => {
  await using folder = await temporaryFolder();
  const database = await openDatabase(null, folder.path, failed);
  const insert = (key: string, value: string | null) => ({
    sql: 'insert into settings (key, value) values (?, ?) returning key',
    parameters: [key, value],
  });
  const whole = database.writeWhole;
  if (whole === null) throw new Error('sqlite has this way');
  expect(await whole([insert('one', 'x'), { sql: 'select changes() as made', parameters: [] }])).toEqual([
    [{ key: 'one' }],
    [{ made: 1 }],
  ]);
  expect(await causeOf(whole([insert('two', 'x'), insert('three', null)]))).toBeInstanceOf(Error);
  expect(await whole([insert('four', 'x')])).toEqual([[{ key: 'four' }]]);
  expect(await findSetting(database.read, 'two')).toBeNull();

  // While a change of several messages is open, it waits: what that takes back would take this along.
  const { promise: open, resolve: opened } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const long = database.write(async (queries) => {
    await replaceSetting(queries, 'long', 'x');
    opened();
    await mayEnd;
    throw new Error('stop here');
  });
  await open;
  const between = Array.from({ length: 3 }, (_, index) => whole([insert(`between ${index}`, 'x')]));
  const next = database.write((queries) => replaceSetting(queries, 'next', 'x'));
  end();
  expect(await causeOf(long)).toHaveProperty('message', 'stop here');
  await Promise.all([...between, next]);
  for (const key of ['between 0', 'between 2', 'next'])
    expect(await findSetting(database.read, key)).toBe('x');
  expect(await findSetting(database.read, 'long')).toBeNull();

  // Those under way when the store is closed are done.
  const last = whole([insert('last', 'x')]);
  await Promise.all([database.close(), last]);
  const again = await openDatabase(null, folder.path, failed);
  expect(await findSetting(again.read, 'last')).toBe('x');
  await again.close();
});

test('a change to the tables themselves keeps on disk what others keep in memory on sqlite', async () => {
  await using folder = await temporaryFolder();
  const database = await openDatabase(null, folder.path, failed);
  const placeOf = async (queries: Queries) =>
    (await sql<{ place: number }>`select temp_store as place from pragma_temp_store`.execute(queries)).rows[0]
      ?.place;
  const [onDisk, inMemory] = [1, 2];
  expect(await database.write(placeOf)).toBe(inMemory);
  const [migrated, other] = await Promise.all([
    database.migrate(placeOf),
    database.write(async () => 'done'),
  ]);
  expect([migrated, other]).toEqual([onDisk, 'done']);
  await causeOf(database.migrate(async () => Promise.reject(new Error('stop here'))));
  expect(await database.write(placeOf)).toBe(inMemory);
  await database.close();
});

test('a change to the tables themselves takes as long as it takes on postgres', async () => {
  const database = openPostgres(await freshPostgres(), () => {});
  const limitOf = async (queries: Queries) =>
    (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(queries)).rows[0]
      ?.statement_timeout;
  expect(await database.write(limitOf)).toBe('7500ms');
  expect(await database.migrate(limitOf)).toBe('0');
  await database.close();
});
