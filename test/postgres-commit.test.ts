import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { TimeoutExceeded } from '../src/rules/errors.ts';
import { type Database, internalReadTerms, NotUnique } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/drivers/postgres.ts';
import { prepared, runWithCommit } from '../src/storage/prepared.ts';
import type { Queries } from '../src/storage/schema.ts';
import { migratedPostgres } from './support/migrated-store.ts';

let database: Database;
beforeAll(async () => {
  database = openPostgres(await migratedPostgres(), () => {});
});
afterAll(() => database.close());

const insert = (queries: Queries, word: string) => queries.insertInto('words').values({ word }).execute();
const stored = async () =>
  (await database.read.selectFrom('words').select('word').execute()).map(({ word }) => word);

test("a change's reads end with it, and their error names the time that they had", async () => {
  const terms = { ...internalReadTerms, timeout: 8_000, changeDeadline: performance.now() + 1_500 };
  const late = await sql`select pg_sleep(60)`.execute(database.readFor(terms)).catch((cause) => cause);
  expect(late).toBeInstanceOf(TimeoutExceeded);
  expect(late.timeout).toBeLessThanOrEqual(1_500);
});

test('a commit that PostgreSQL turned into a rollback is a failure, and affects no other change of its batch', async () => {
  const insertIgnoringErrors = async (queries: Queries, words: readonly string[]) => {
    for (const word of words) await insert(queries, word);
    await sql`select 1 / 0`.execute(queries).catch(() => {});
    return words;
  };
  const insertAll = async (queries: Queries, words: readonly string[]) => {
    for (const word of words) await insert(queries, word);
    return words;
  };
  const outcomes = await Promise.allSettled([
    database.writeBatched('first', insertAll),
    database.writeBatched('lost', insertIgnoringErrors),
    database.writeBatched('second', insertAll),
    database.writeBatched('third', insertAll),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect((await stored()).sort()).toEqual(['first', 'second', 'third']);
});

test('no part of a change that continues after its deadline is stored', async () => {
  const late = database.write(
    async (queries) => {
      await insert(queries, 'in time');
      await Bun.sleep(250);
      await insert(queries, 'too late').catch(() => {});
    },
    { ...internalReadTerms, changeDeadline: performance.now() + 200 },
  );
  expect(await late.catch((cause) => cause)).toBeInstanceOf(Error);
  expect(await stored()).not.toContain('in time');
  // Its connection can be used again.
  for (let turn = 0; turn < 20; turn++) await database.write((queries) => insert(queries, `next ${turn}`));
});

test('two calls may send changes of the same row with the commit', async () => {
  const upsert = prepared((queries, word: string) =>
    queries
      .insertInto('words')
      .values({ word })
      .onConflict((conflict) => conflict.column('word').doUpdateSet({ word }))
      .compile(),
  );
  await database.write(async (queries) => {
    await runWithCommit(queries, [upsert.statement(queries, 'twice')]);
    await runWithCommit(queries, []);
    await runWithCommit(queries, [upsert.statement(queries, 'twice'), upsert.statement(queries, 'once')]);
  });
  expect(await stored()).toEqual(expect.arrayContaining(['once', 'twice']));
});

test('statements sent with the commit are stored with it, or make it fail with their own error, even after the deadline', async () => {
  const insertWord = prepared((queries, word: string) =>
    queries.insertInto('words').values({ word }).compile(),
  );
  const changeWith = (ownWord: string, words: readonly string[], terms = internalReadTerms) =>
    database.write(async (queries) => {
      await runWithCommit(
        queries,
        words.map((word) => insertWord.statement(queries, word)),
      );
      await insert(queries, ownWord);
    }, terms);
  await changeWith('own', ['with the end', 'and another']);
  expect(await stored()).toEqual(expect.arrayContaining(['own', 'with the end', 'and another']));
  const conflict = await changeWith('own of a failed one', ['only once', 'with the end']).catch(
    (cause) => cause,
  );
  expect(conflict).toBeInstanceOf(NotUnique);
  const mayCommit = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lockingChange = database.write(async (queries) => {
    await insert(queries, 'held');
    locked.resolve();
    await mayCommit.promise;
  });
  await locked.promise;
  const changeDeadline = performance.now() + 300;
  const late = await changeWith('own of a late one', ['held'], {
    ...internalReadTerms,
    changeDeadline,
  }).catch((cause) => cause);
  mayCommit.resolve();
  await lockingChange;
  expect(late).toBeInstanceOf(TimeoutExceeded);
  for (const lost of ['own of a failed one', 'only once', 'own of a late one'])
    expect(await stored()).not.toContain(lost);
});
