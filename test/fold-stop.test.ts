import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { journalsIn, watermarkKey } from '../src/journal/files.ts';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import { type Claim, type DeliveriesOf, type FoldBatch, JournalTaken } from '../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, ownJournal, startFoldWorker } from './support/fold-worker.ts';
import { storeFolder } from './support/migrated-store.ts';
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
  await using folder = await storeFolder();
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

test('a stop during a failed batch leaves its clicks in the journal', async () => {
  await using folder = await storeFolder();
  const end = new JournalFiles(folder.path, noon).write(ownJournal, 'spring');
  const messages: FromFold[] = [];
  const eventuallyReceived = (kind: FromFold['kind']) =>
    eventually(() => messages.some((message) => message.kind === kind), kind);
  const stop = { kind: 'stop', end, now: noon } as const;
  class TakenStore extends SqliteFoldStore {
    override async fold(): Promise<void> {
      worker.take(stop);
      throw new JournalTaken(watermarkKey(ownJournal));
    }
  }
  const worker = startFoldWorker(folder.path, new TakenStore(folder.path), noon, (message) =>
    messages.push(message),
  );
  worker.take({ kind: 'wake', end, now: noon });
  await eventuallyReceived('stopped');
  expect(messages).toContainEqual({ kind: 'restart', reason: 'the watermark has moved' });
  expect(journalsIn(folder.path)).toEqual([ownJournal]);
});

test('a batch that a full disk interrupted is folded again from its first click', async () => {
  await using folder = await storeFolder();
  const files = new JournalFiles(folder.path, noon);
  files.write(ownJournal, 'spring');
  const end = files.write(ownJournal, 'summer');
  let attempts = 0;
  const worker = startFoldWorker(
    folder.path,
    new SqliteFoldStore(folder.path),
    noon,
    () => {},
    {},
    (salts) => ({
      ...salts,
      settle(...of) {
        if (++attempts === 1)
          throw Object.assign(new Error('no space left on the device'), { code: 'ENOSPC' });
        return salts.settle(...of);
      },
    }),
  );
  worker.take({ kind: 'wake', end, now: noon });
  await eventually(() => attempts > 0, 'the failure');
  await eventually(
    () => {
      worker.take({ kind: 'wake', end, now: noon });
      using database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
      return database.query('select count(*) from hits').values()[0]?.[0] === 2;
    },
    'both clicks to be folded',
    10_000,
  );
  worker.take({ kind: 'stop', end, now: noon });
});

test('clicks of a batch that failed after its claim are not repeats of themselves', async () => {
  await using folder = await storeFolder();
  const end = new JournalFiles(folder.path, noon).write(ownJournal, 'spring');
  let failures = 0;
  class FailingStore extends SqliteFoldStore {
    override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
      if (failures++ === 0) throw Object.assign(new Error('the disk does not answer'), { code: 'EIO' });
      return super.fold(batch, deliveries);
    }
  }
  const messages: FromFold[] = [];
  const worker = startFoldWorker(
    folder.path,
    new FailingStore(folder.path),
    noon,
    (message) => messages.push(message),
    { repeatWindow: 5_000 },
  );
  worker.take({ kind: 'wake', end, now: noon });
  await eventually(() => messages.some(({ kind }) => kind === 'folded'), 'the second attempt');
  worker.take({ kind: 'stop', end, now: noon });
  await eventually(() => messages.some(({ kind }) => kind === 'stopped'), 'the worker to stop');
  using database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  expect(database.query('select clicks from link_clicks').values()).toEqual([[1]]);
});

test('clicks are not repeats of themselves if another process has claimed them in a longer batch that is never folded', async () => {
  await using folder = await storeFolder();
  await using copy = await temporaryFolder();
  const files = new JournalFiles(folder.path, noon);
  const ends = [1, 2, 3].map((visitor) => files.write(ownJournal, 'spring', `198.51.100.${visitor}`));
  const [end = { segment: 1, offset: 0 }] = ends.slice(-1);
  cpSync(join(folder.path, 'journal'), join(copy.path, 'journal'), { recursive: true });
  const settings = { repeatWindow: 5_000 };
  const messages: FromFold[] = [];

  class UnfoldedBatches extends SqliteFoldStore {
    override async fold(batch: FoldBatch): Promise<void> {
      throw new JournalTaken(batch.journal);
    }
  }
  const claimElsewhere = async () => {
    const found: FromFold[] = [];
    const worker = startFoldWorker(
      copy.path,
      new UnfoldedBatches(folder.path),
      noon,
      (message) => found.push(message),
      settings,
    );
    worker.take({ kind: 'wake', end, now: noon });
    await eventually(() => found.some(({ kind }) => kind === 'restart'), 'the claim');
    worker.take({ kind: 'stop', end, now: noon });
  };
  class ShortBatches extends SqliteFoldStore {
    #claims = 0;

    override batchLength(): number {
      return 1;
    }

    override async claim(claim: Claim): Promise<number | null> {
      const claimNumber = await super.claim(claim);
      if (++this.#claims === 1) await claimElsewhere();
      return claimNumber;
    }
  }
  const worker = startFoldWorker(
    folder.path,
    new ShortBatches(folder.path),
    noon,
    (message) => messages.push(message),
    settings,
  );
  worker.take({ kind: 'wake', end, now: noon });
  worker.take({ kind: 'stop', end, now: noon });
  await eventually(() => messages.some(({ kind }) => kind === 'stopped'), 'the worker to stop');
  using database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  expect(database.query('select clicks from link_clicks').values()).toEqual([[3]]);
});
