import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { watermarkKey } from '../src/journal/files.ts';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, ownJournal, startFoldWorker } from './support/fold-worker.ts';
import { storeFolder } from './support/migrated-store.ts';

const noon = Date.UTC(2026, 10, 19, 12);

test('clicks that an earlier thread folded and the database has lost are folded again, even without a new click', async () => {
  await using folder = await storeFolder();
  const end = new JournalFiles(folder.path, noon).write(ownJournal, 'spring');
  const store = new SqliteFoldStore(folder.path);
  using database = new Database(join(folder.path, 'linnet.sqlite'));
  const countRows = (table: string) => database.query(`select count(*) from ${table}`).values().flat()[0];
  database.run('insert into journal_watermarks (node, segment, byte_offset) values (?, ?, ?)', [
    watermarkKey(ownJournal),
    end.segment,
    end.offset,
  ]);
  const messages: FromFold[] = [];
  const eventuallyReceived = (kind: FromFold['kind']) =>
    eventually(() => messages.some((message) => message.kind === kind), kind);
  const secondWorker = startFoldWorker(folder.path, store, noon, (message) => messages.push(message));
  secondWorker.take({ kind: 'wake', end, now: noon });
  await eventuallyReceived('folded');
  expect(countRows('hits')).toBe(0);

  database.run('delete from journal_watermarks');
  await eventuallyReceived('restart');
  const thirdWorker = startFoldWorker(folder.path, store, noon, (message) => messages.push(message));
  thirdWorker.take({ kind: 'wake', end, now: noon });
  await eventually(() => countRows('hits') === 1, 'the click to be folded again');
  thirdWorker.take({ kind: 'stop', end, now: noon });
  await eventuallyReceived('stopped');
});
