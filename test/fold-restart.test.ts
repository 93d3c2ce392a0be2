import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { watermarkKey } from '../src/journal/files.ts';
import type { FromFold } from '../src/ledger/fold-messages.ts';
import { SqliteFoldStore } from '../src/ledger/sqlite-fold-store.ts';
import { openDatabase } from '../src/storage/open.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, ownJournal, startFoldWorker } from './support/fold-worker.ts';
import { temporaryFolder } from './support/program.ts';

const noon = Date.UTC(2026, 10, 19, 12);

test('clicks that an earlier thread had folded, and that the database loses, are folded again even without a new click', async () => {
  await using folder = await temporaryFolder();
  await (await openDatabase(null, folder.path, () => {})).close();
  const end = new JournalFiles(folder.path, noon).write(ownJournal, 'spring');
  const store = new SqliteFoldStore(folder.path);
  using database = new Database(join(folder.path, 'linnet.sqlite'));
  const inStore = (table: string) => database.query(`select count(*) from ${table}`).values().flat()[0];
  database.run('insert into journal_watermarks (node, segment, byte_offset) values (?, ?, ?)', [
    watermarkKey(ownJournal),
    end.segment,
    end.offset,
  ]);
  const told: FromFold[] = [];
  const isTold = (kind: FromFold['kind']) => eventually(() => told.some((one) => one.kind === kind), kind);
  const second = startFoldWorker(folder.path, store, noon, (message) => told.push(message));
  second.take({ kind: 'wake', end, now: noon });
  await isTold('folded');
  expect(inStore('hits')).toBe(0);

  database.run('delete from journal_watermarks');
  await isTold('restart');
  const third = startFoldWorker(folder.path, store, noon, (message) => told.push(message));
  third.take({ kind: 'wake', end, now: noon });
  await eventually(() => inStore('hits') === 1, 'the click to be folded again');
  third.take({ kind: 'stop', end, now: noon });
  await isTold('stopped');
});
