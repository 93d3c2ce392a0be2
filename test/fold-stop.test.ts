import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import type { DeliveriesOf, FoldBatch } from '../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { openDatabase } from '../src/storage/open.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, ownJournal, startFoldWorker } from './support/fold-worker.ts';
import { temporaryFolder } from './support/program.ts';

const noon = Date.UTC(2026, 10, 19, 12);

class ObservedStore extends SqliteFoldStore {
  concurrent = 0;
  maxConcurrent = 0;
  onFold: () => void = () => {};

  override batchLength(): number {
    return 1;
  }

  /** Yields first, as if the store were across a network. */
  override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    this.maxConcurrent = Math.max(this.maxConcurrent, ++this.concurrent);
    this.onFold();
    await new Promise((resolve) => setImmediate(resolve));
    await super.fold(batch, deliveries);
    this.concurrent -= 1;
  }
}

test('messages to a stopping fold worker do not start a second run while its last one continues', async () => {
  await using folder = await temporaryFolder();
  await (await openDatabase(null, folder.path, () => {})).close();
  const files = new JournalFiles(folder.path, noon);
  const ends = ['spring', 'summer', 'autumn', 'winter'].map((campaign) => files.write(ownJournal, campaign));
  const [end = { segment: 1, offset: 0 }] = ends.slice(-1);
  const store = new ObservedStore(folder.path);
  const messages: FromFold[] = [];
  const worker = startFoldWorker(folder.path, store, noon, (message) => messages.push(message));
  store.onFold = () => {
    worker.take({ kind: 'cleanUp', now: noon });
    worker.take({ kind: 'wake', end, now: noon });
    worker.take({ kind: 'stop', end, now: noon });
  };
  worker.take({ kind: 'stop', end, now: noon });
  await eventually(() => messages.some(({ kind }) => kind === 'stopped'), 'the worker to stop');
  expect(store.maxConcurrent).toBe(1);
  expect(messages.filter(({ kind }) => kind === 'stopped' || kind === 'fault')).toHaveLength(1);
  const database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  expect(database.query('select count(*) from hits').values()).toEqual([[4]]);
  database.close();
});
