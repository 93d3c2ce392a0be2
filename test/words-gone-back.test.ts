import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, leftoverJournal, ownJournal, startFoldWorker } from './support/fold-worker.ts';
import { storeFolder } from './support/migrated-store.ts';

const noon = Date.UTC(2026, 10, 19, 12);

test.each([
  ['even after the fold of a batch without it', [['winter'], ['spring']], 'new words are gone'],
  ['even in one batch with the word that has its id now', [['spring', 'summer']], 'two words have one id'],
] as const)('a word that the database no longer has is detected, %s', async (_, batches, reason) => {
  await using folder = await storeFolder();
  const files = new JournalFiles(folder.path, noon);
  files.write(leftoverJournal, 'spring');
  const store = new SqliteFoldStore(folder.path);
  const messages: FromFold[] = [];
  const worker = startFoldWorker(folder.path, store, noon, (message) => messages.push(message));
  await eventually(
    () => messages.some(({ kind }) => kind === 'recovered'),
    'the fold of the leftover journal',
  );

  // The database is back at a state without "spring", and another node gives the id to another word.
  const database = new Database(join(folder.path, 'linnet.sqlite'));
  database.run("update words set word = 'summer' where word = 'spring'");
  for (const [index, campaigns] of batches.entries()) {
    const [end] = campaigns.map((campaign) => files.write(ownJournal, campaign)).slice(-1);
    if (end === undefined) throw new Error('a batch has hits');
    worker.take({ kind: 'wake', end, now: noon });
    const isLast = index === batches.length - 1;
    await eventually(
      () =>
        messages.some((message) =>
          isLast
            ? message.kind === 'restart'
            : message.kind === 'folded' && message.position.offset === end.offset,
        ),
      isLast ? 'the request for a restart' : 'the fold of the batch without the word',
    );
  }
  expect(messages.filter(({ kind }) => kind === 'restart')).toEqual([{ kind: 'restart', reason }]);
  expect(database.query('select count(*) from hits').values()).toEqual([[batches.length]]);
  database.close();
  await store.close();
});
