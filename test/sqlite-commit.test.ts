import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, NotUnique } from '../src/storage/database.ts';
import { openSqlite } from '../src/storage/drivers/sqlite.ts';
import { prepared, runWithCommit } from '../src/storage/prepared.ts';
import type { Queries } from '../src/storage/schema.ts';
import { settleAll } from '../src/storage/settle-all.ts';
import { migratedSqlite } from './support/migrated-store.ts';

let dataDir: string;
let database: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'linnet-commit-'));
  await migratedSqlite(dataDir);
  database = await openSqlite(dataDir, () => {});
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});

const insert = (queries: Queries, word: string) => queries.insertInto('words').values({ word }).execute();
const insertWord = prepared((queries, word: string) =>
  queries.insertInto('words').values({ word }).compile(),
);
const stored = async () =>
  (await database.read.selectFrom('words').select('word').orderBy('id').execute()).map(({ word }) => word);
const changeWith = async (queries: Queries, ownWord: string, words: readonly string[]) => {
  await runWithCommit(
    queries,
    words.map((word) => insertWord.statement(queries, word)),
  );
  await insert(queries, ownWord);
};

test('statements sent with the commit are stored with it, or undo the whole change with their own error', async () => {
  await database.write((queries) => changeWith(queries, 'own', ['with the end', 'and another']));
  expect(await stored()).toEqual(['own', 'with the end', 'and another']);
  const failed = database.write((queries) => changeWith(queries, 'lost', ['lost too', 'own', 'after it']));
  expect(await failed.catch((cause) => cause)).toBeInstanceOf(NotUnique);
  const abandoned = database.write(async (queries) => {
    await changeWith(queries, 'given up', ['sent by nobody']);
    throw new Error('given up');
  });
  expect(String(await abandoned.catch((cause) => cause))).toContain('given up');
  await database.write((queries) => changeWith(queries, 'next', []));
  expect(await stored()).toEqual(['own', 'with the end', 'and another', 'next']);
});

test('of changes of several kinds that share a transaction, only those fail whose last statements do', async () => {
  const kind = (last: readonly string[]) => async (queries: Queries, words: readonly string[]) => {
    for (const word of words) await changeWith(queries, word, last);
    return words;
  };
  const outcomes = await Promise.allSettled([
    // The first is alone in its transaction, and the others wait for it.
    database.writeBatched('first', kind(['end of first'])),
    database.writeBatched('second', kind(['end of second'])),
    database.writeBatched('third', kind(['own'])),
    database.writeBatched('fourth', kind(['end of fourth'])),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  const words = await stored();
  for (const kept of ['first', 'second', 'fourth']) expect(words).toContain(kept);
  for (const kept of ['first', 'second', 'fourth']) expect(words).toContain(`end of ${kept}`);
  expect(words).not.toContain('third');
});

test('changes made at once share a transaction; one that fails is undone, and fails no other', async () => {
  const work = Object.assign(
    async (_queries: Queries, words: readonly string[]): Promise<readonly string[]> => words,
    {
      pipelined: {
        suits: () => true,
        make: async (queries: Queries, words: readonly string[]) => {
          await settleAll(
            ...words.flatMap((word) => [
              insertWord(queries, `at once: ${word}`),
              // That of 'twice' is there already.
              insertWord(queries, word === 'twice' ? 'own' : `then: ${word}`),
            ]),
          );
          return words;
        },
      },
    },
  );
  const outcomes = await Promise.allSettled(
    ['alone', 'together', 'twice', 'last'].map((word) => database.writeBatched(word, work)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect((await stored()).filter((word) => /^(at once|then): /.test(word))).toEqual(
    ['alone', 'together', 'last'].flatMap((word) => [`at once: ${word}`, `then: ${word}`]),
  );
});

test('a change whose outcome cannot be told after its commit is not made again', async () => {
  const work = Object.assign(
    async (_queries: Queries, words: readonly string[]): Promise<readonly string[]> => words,
    {
      pipelined: {
        suits: () => true,
        make: async (queries: Queries, words: readonly string[]): Promise<readonly string[]> => {
          await settleAll(...words.map((word) => insertWord(queries, `${word} ${crypto.randomUUID()}`)));
          throw new Error('no outcome');
        },
      },
    },
  );
  const outcomes = await Promise.allSettled(
    ['first', 'second', 'third'].map((word) => database.writeBatched(`told: ${word}`, work)),
  );
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
    Array(3).fill('Error: no outcome'),
  );
  expect((await stored()).filter((word) => word.startsWith('told: '))).toHaveLength(3);
});
