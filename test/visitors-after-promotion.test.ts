import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Position } from '../src/journal/files.ts';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import type { DeliveriesOf, FoldBatch } from '../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, leftoverJournal, startFoldWorker } from './support/fold-worker.ts';
import { storeFolder } from './support/migrated-store.ts';

const noon = Date.UTC(2026, 10, 19, 12);

let folder: Awaited<ReturnType<typeof storeFolder>>;
beforeEach(async () => {
  folder = await storeFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Runs these statements, and returns the numbers of stored hits and visitors. */
function countsAfter(...statements: string[]): { hits: number; visitors: number } {
  using database = new Database(join(folder.path, 'linnet.sqlite'));
  for (const statement of statements) database.run(statement);
  return database
    .query(
      'select (select count(*) from hits) as hits, (select count(*) from daily_visitors where owner > 0) as visitors',
    )
    .get() as { hits: number; visitors: number };
}

function startWorker(store: SqliteFoldStore) {
  const messages: FromFold[] = [];
  const worker = startFoldWorker(folder.path, store, noon, (message) => messages.push(message));
  const eventuallySent = (kind: FromFold['kind']) =>
    eventually(() => messages.some((one) => one.kind === kind), kind);
  const stop = async () => {
    worker.take({ kind: 'stop', end: { segment: 1, offset: 0 }, now: noon });
    await eventuallySent('stopped');
  };
  return { worker, eventuallySent, stop };
}

test('visitors of an earlier journal that the database has lost are counted again, even before the watermarks are compared', async () => {
  const files = new JournalFiles(folder.path, noon);
  files.write(leftoverJournal, 'spring');
  const first = startWorker(new SqliteFoldStore(folder.path));
  await first.eventuallySent('recovered');
  const whole = { hits: 1, visitors: 1 };
  expect(countsAfter()).toEqual(whole);
  const tables = ['journal_watermarks', 'hits', 'daily_visitors', 'link_hours'];
  countsAfter(...tables.map((table) => `delete from ${table}`));
  // Makes the worker check earlier journals at once.
  first.worker.take({ kind: 'cleanUp', now: noon });
  await first.eventuallySent('restart');
  expect(countsAfter()).toEqual({ hits: 0, visitors: 0 });
  const second = startWorker(new SqliteFoldStore(folder.path));
  await second.eventuallySent('recovered');
  expect(countsAfter()).toEqual(whole);
  await second.stop();
});

/** Simulates another process that folds a copy of the journal at the same time, and has already folded the hits before `foldedTo`. */
class ConcurrentlyFoldedStore extends SqliteFoldStore {
  foldedTo: Position | null = null;

  override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    if (this.foldedTo !== null)
      countsAfter(
        `insert into journal_watermarks (node, segment, byte_offset) values ('${batch.journal}', ${this.foldedTo.segment}, ${this.foldedTo.offset})`,
      );
    this.foldedTo = null;
    await super.fold(batch, deliveries);
  }
}

test('visitors of a batch of which another process has folded a part are counted with the rest', async () => {
  const files = new JournalFiles(folder.path, noon);
  const store = new ConcurrentlyFoldedStore(folder.path);
  store.foldedTo = files.write(leftoverJournal, 'spring');
  files.write(leftoverJournal, 'spring');
  const { eventuallySent, worker, stop } = startWorker(store);
  await eventuallySent('warning');
  worker.take({ kind: 'cleanUp', now: noon });
  await eventuallySent('recovered');
  expect(countsAfter()).toEqual({ hits: 1, visitors: 1 });
  await stop();
});
