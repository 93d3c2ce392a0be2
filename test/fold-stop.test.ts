import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { FromFold } from '../src/ledger/fold-messages.ts';
import type { DeliveriesOf, FoldBatch } from '../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/sqlite-fold-store.ts';
import { openDatabase } from '../src/storage/open.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, ownJournal, startFoldWorker } from './support/fold-worker.ts';
import { temporaryFolder } from './support/program.ts';

const noon = Date.UTC(2026, 10, 19, 12);

class WatchedStore extends SqliteFoldStore {
  underWay = 0;
  together = 0;
  onFold: () => void = () => {};

  override batchLength(): number {
    return 1;
  }

  /** Takes time, as over a network. */
  override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    this.together = Math.max(this.together, ++this.underWay);
    this.onFold();
    await new Promise((resolve) => setImmediate(resolve));
    await super.fold(batch, deliveries);
    this.underWay -= 1;
  }
}

test('messages to a stopping fold start no second run beside its last one', async () => {
  await using folder = await temporaryFolder();
  await (await openDatabase(null, folder.path, () => {})).close();
  const files = new JournalFiles(folder.path, noon);
  const ends = ['spring', 'summer', 'autumn', 'winter'].map((campaign) => files.write(ownJournal, campaign));
  const [end = { segment: 1, offset: 0 }] = ends.slice(-1);
  const store = new WatchedStore(folder.path);
  const told: FromFold[] = [];
  const worker = startFoldWorker(folder.path, store, noon, (message) => told.push(message));
  store.onFold = () => {
    worker.take({ kind: 'cleanUp', now: noon });
    worker.take({ kind: 'wake', end, now: noon });
    worker.take({ kind: 'stop', end, now: noon });
  };
  worker.take({ kind: 'stop', end, now: noon });
  await eventually(() => told.some(({ kind }) => kind === 'stopped'), 'the worker to stop');
  expect(store.together).toBe(1);
  expect(told.filter(({ kind }) => kind === 'stopped' || kind === 'fault')).toHaveLength(1);
  const database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  expect(database.query('select count(*) from hits').values()).toEqual([[4]]);
  database.close();
});
