import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  folderOf,
  type JournalName,
  journalsIn,
  type Position,
  segmentFile,
  watermarkKey,
} from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { RecordWriter } from '../src/journal/record-writer.ts';
import { enrichParts } from '../src/ledger/fold/enrich.ts';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import { FoldWorker } from '../src/ledger/fold/fold-worker.ts';
import type { FoldWorkerParts } from '../src/ledger/fold/fold-worker-parts.ts';
import { type DeliveriesOf, type FoldBatch, JournalTaken } from '../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { ownSalts, SaltFolder } from '../src/ledger/visitors/salts/salt-folder.ts';
import { DailySalts } from '../src/ledger/visitors/visitor-hash.ts';
import { hourLength } from '../src/rules/durations.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { unknownPlace } from '../src/rules/place.ts';
import { foldSettings, leftoverJournal, ownJournal } from './support/fold-worker.ts';
import { storeFolder } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

const plain: RawHit = { ...plainHit, at: Date.UTC(2026, 10, 19) };

let folder: Awaited<ReturnType<typeof storeFolder>>;
beforeEach(async () => {
  folder = await storeFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Writes `records` records of one hit each, the first at `from`. Returns the position of their end. */
function writeRecords(name: JournalName, records: number, from = plain.at): Position {
  mkdirSync(folderOf(folder.path, name), { recursive: true });
  const file = segmentFile(folderOf(folder.path, name), 1);
  const writer = new RecordWriter();
  let offset = 0;
  for (let record = 0; record < records; record++) {
    writer.add({ ...plain, at: from + record * 20_000 });
    const bytes = writer.finish();
    appendFileSync(file, bytes);
    offset += bytes.length;
  }
  return { segment: 1, offset };
}

/** Folds short batches, with hooks to observe them. */
class ObservedStore extends SqliteFoldStore {
  isUnavailable = false;
  afterBatch: (batch: FoldBatch) => void = () => {};
  beforeBatch: () => void = () => {};

  override batchLength(): number {
    return 10;
  }

  override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    if (this.isUnavailable) throw new StoreUnavailable('away');
    this.beforeBatch();
    await super.fold(batch, deliveries);
    this.afterBatch(batch);
  }
}

/** Folds slowly, as on a slow disk. */
class SlowStore extends SqliteFoldStore {
  override fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    return super.fold(batch, (links, hitIdOf) => {
      Bun.sleepSync(50);
      return deliveries(links, hitIdOf);
    });
  }
}

function workerOf(
  store: SqliteFoldStore,
  tell: (message: FromFold) => void,
  deliveriesOf: FoldWorkerParts['deliveriesOf'] = () => () => [],
): FoldWorker {
  const saltStore = ownSalts(new SaltFolder(join(folder.path, 'visitor-salts')));
  const salts = new DailySalts(saltStore, (count) => new Uint8Array(count).fill(1));
  return new FoldWorker({
    settings: {
      ...foldSettings(folder.path),
      ...{ keep: { milliseconds: 0, bytes: 0 }, repeatWindow: 2_000, floodLimit: 30_000 },
    },
    store,
    salts,
    enrich: enrichParts({ placeOf: () => unknownPlace, isOwnHost: () => false, salts }),
    hosts: new Set(),
    // All hits are earlier.
    now: plain.at + hourLength,
    deliveriesOf,
    send: tell,
  });
}

const ledgerCount = (): number => {
  const database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  const [[count] = []] = database.query('select count(*) from hits').values();
  database.close();
  return Number(count);
};

test('fresh hits are folded between the batches of a leftover journal', async () => {
  writeRecords(leftoverJournal, 100);
  const end = writeRecords(ownJournal, 5);
  const store = new ObservedStore(folder.path);
  const batches: string[] = [];
  const recovered = new Promise<void>((resolve) => {
    const worker = workerOf(store, (message) => message.kind === 'recovered' && resolve());
    store.afterBatch = ({ journal, hits }) => {
      batches.push(`${journal} ${hits.count}`);
      // As a thread receives a message: not before the fold yields.
      if (batches.length === 2) setImmediate(() => worker.take({ kind: 'wake', end, now: plain.at }));
    };
  });
  await recovered;
  expect(batches).toEqual([
    'here/left 10',
    'here/left 10',
    'here/own 5',
    ...Array.from({ length: 8 }, () => 'here/left 10'),
  ]);
  expect(ledgerCount()).toBe(105);
  expect(journalsIn(folder.path)).toEqual([ownJournal]);
  await store.close();
});

test('a visit while old hits are deleted is counted between two parts of the deletion, within two seconds', async () => {
  const old = new Database(join(folder.path, 'linnet.sqlite'));
  old.run(`insert into hits (link_id, organization_id, at, outcome, target, class, reason, device, source, country, os, browser,
      language, referrer, utm_source, utm_medium, utm_campaign, utm_term, utm_content, rule, variant)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
    select 1, 1, n, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from numbers`);
  old.close();
  const events: string[] = [];
  const { promise: retained, resolve } = Promise.withResolvers<void>();
  let visitedAt = 0;
  let countedAfter = Number.POSITIVE_INFINITY;
  class RetainingStore extends ObservedStore {
    override async deleteHitsBefore(at: number): Promise<boolean> {
      const hasMore = await super.deleteHitsBefore(at);
      events.push(hasMore ? 'part' : 'end');
      if (visitedAt === 0) {
        visitedAt = performance.now();
        worker.take({ kind: 'wake', end: writeRecords(ownJournal, 3), now: plain.at + hourLength });
      }
      if (!hasMore) resolve();
      return hasMore;
    }
  }
  const store = new RetainingStore(folder.path);
  store.afterBatch = () => {
    events.push('visits');
    countedAfter = performance.now() - visitedAt;
  };
  const worker = workerOf(store, () => {});
  await retained;
  expect(events.slice(0, 3)).toEqual(['part', 'visits', 'part']);
  expect(events.filter((event) => event === 'part').length).toBeGreaterThan(3);
  expect(countedAfter).toBeLessThan(scaledToLoad(2_000));
  expect(ledgerCount()).toBe(3);
  const stopped = new Promise<void>((resolve) => {
    store.close = async () => resolve();
  });
  worker.take({ kind: 'stop', end: { segment: 1, offset: 0 }, now: plain.at });
  await stopped;
});

test('neither the current batch nor a later one loses hits if the idle thread collects garbage while it waits for the store', async () => {
  writeRecords(leftoverJournal, 35);
  const store = new ObservedStore(folder.path);
  const deliveredAt: number[] = [];
  const recordDeliveries: FoldWorkerParts['deliveriesOf'] = (clicks) => () => {
    deliveredAt.push(
      ...clicks(new Map([[plain.linkId, { organization_id: plain.organizationId }]])).map(
        (click) => click.at,
      ),
    );
    return [];
  };
  await new Promise<void>((resolve) => {
    const worker = workerOf(store, (message) => message.kind === 'recovered' && resolve(), recordDeliveries);
    store.beforeBatch = () => worker.release();
    store.afterBatch = () => setImmediate(() => worker.release());
  });
  const database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  const instants = database.query('select at from hits order by at').values();
  database.close();
  const expected = Array.from({ length: 35 }, (_, record) => plain.at + record * 20_000);
  expect(instants.flat()).toEqual(expected);
  // Repeat visits within seconds aren't counted; these are 20 seconds apart.
  expect(deliveredAt).toEqual(expected);
  await store.close();
});

test('a stop while the store is unavailable, in the middle of a leftover journal, leaves the rest for the next start', async () => {
  writeRecords(leftoverJournal, 100);
  const store = new ObservedStore(folder.path);
  await new Promise<void>((resolve) => {
    const worker = workerOf(store, (message) => message.kind === 'stopped' && resolve());
    let batches = 0;
    store.afterBatch = () => {
      if (++batches !== 3) return;
      store.isUnavailable = true;
      worker.take({ kind: 'stop', end: { segment: 1, offset: 0 }, now: plain.at });
    };
  });
  expect(ledgerCount()).toBe(30);
  const restartedStore = new ObservedStore(folder.path);
  await new Promise<void>((resolve) =>
    workerOf(restartedStore, (message) => message.kind === 'recovered' && resolve()),
  );
  expect(ledgerCount()).toBe(100);
  await restartedStore.close();
});

test('batches are short while other connections write to SQLite, and long again afterwards', async () => {
  const store = new SqliteFoldStore(folder.path);
  const fullLength = store.batchLength();
  const other = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  other.run("insert into settings (key, value) values ('a', 'b')");
  expect(store.batchLength()).toBeLessThan(fullLength);
  other.close();
  await store.deleteHitsBefore(1);
  expect(new SqliteFoldStore(folder.path).batchLength()).toBe(fullLength);
  await store.close();
});

test('batches after a slow one are shorter, and even shorter while other connections write', async () => {
  const store = new SlowStore(folder.path);
  const fullLength = store.batchLength();
  const end = writeRecords(ownJournal, 5);
  await new Promise<void>((resolve) => {
    const worker = workerOf(store, ({ kind }) => kind === 'folded' && resolve());
    worker.take({ kind: 'wake', end, now: plain.at });
  });
  expect(ledgerCount()).toBe(5);
  const afterwards = store.batchLength();
  expect(afterwards).toBeLessThan(fullLength);
  const other = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  other.run("insert into settings (key, value) values ('a', 'b')");
  expect(store.batchLength()).toBeLessThan(afterwards);
  expect(store.batchLength()).toBeGreaterThan(1_000);
  other.close();
  await store.close();
});

test("another worker's fold does not shorten the batches, but other writes do", async () => {
  const store = new SqliteFoldStore(folder.path);
  const fullLength = store.batchLength();
  const other = new ObservedStore(folder.path);
  const worker = workerOf(other, () => {});
  const fold = (end: Position) =>
    new Promise<void>((resolve) => {
      other.afterBatch = () => resolve();
      worker.take({ kind: 'wake', end, now: plain.at });
    });
  await fold(writeRecords(ownJournal, 2));
  expect(ledgerCount()).toBe(2);
  expect(store.batchLength()).toBe(fullLength);
  const writer = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  writer.run("insert into changes (at, domain_id, suffixes) values (0, 0, 'a')");
  writer.close();
  const { segment, offset } = writeRecords(ownJournal, 2, plain.at + 60_000);
  await fold({ segment, offset: offset * 2 });
  expect(ledgerCount()).toBe(4);
  expect(store.batchLength()).toBeLessThan(fullLength);
  await store.close();
  await other.close();
});

test('a process that reports its state does not shorten the batches, unless it writes more', async () => {
  const store = new SqliteFoldStore(folder.path);
  const fullLength = store.batchLength();
  const other = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  const report = (seenAt: number) =>
    other.run(
      `insert into nodes (node, process, host_name, version, started_at, seen_at, waiting_clicks, waiting_bytes)
       values ('n', 'p', '', '', 0, ${seenAt}, 0, 0) on conflict do update set seen_at = excluded.seen_at`,
    );
  for (const seenAt of [10_000, 20_000]) {
    report(seenAt);
    expect(store.batchLength()).toBe(fullLength);
  }
  report(30_000);
  other.run("insert into changes (at, domain_id, suffixes) values (0, 0, 'a')");
  expect(store.batchLength()).toBeLessThan(fullLength);
  other.close();
  await store.close();
});

test('hits that a killed process had sent to the database are not counted twice, and the rest of its journal is folded', async () => {
  writeRecords(leftoverJournal, 25);
  class LateCommit extends ObservedStore {
    isLate = true;

    override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
      await super.fold(batch, deliveries);
      // The database has only now committed the fold of the process that wrote the journal: the watermark has moved.
      if (!this.isLate) return;
      this.isLate = false;
      throw new JournalTaken(batch.journal);
    }
  }
  const store = new LateCommit(folder.path);
  const messages: string[] = [];
  await new Promise<void>((resolve) => {
    workerOf(store, (message) => {
      messages.push(message.kind === 'warning' ? message.event : message.kind);
      if (message.kind === 'recovered') resolve();
    });
  });
  expect(messages).toContain('journal folded elsewhere');
  expect(ledgerCount()).toBe(25);
  expect(journalsIn(folder.path)).toEqual([]);
}, 240_000);

test('a journal whose copy another node has folded is folded here once the database has lost that fold', async () => {
  writeRecords(leftoverJournal, 25);
  const runInStore = (statement: string) => {
    using database = new Database(join(folder.path, 'linnet.sqlite'));
    database.run(statement, [watermarkKey(leftoverJournal)]);
  };
  class CopiedElsewhere extends ObservedStore {
    isFirst = true;

    override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
      // The other node was faster.
      if (this.isFirst)
        runInStore('insert into journal_watermarks (node, segment, byte_offset) values (?, 2, 0)');
      this.isFirst = false;
      await super.fold(batch, deliveries);
    }
  }
  const store = new CopiedElsewhere(folder.path);
  await new Promise<void>((resolve) => {
    const worker = workerOf(store, (message) => {
      if (message.kind === 'recovered') resolve();
      if (message.kind !== 'warning') return;
      expect(message.event).toBe('journal folded elsewhere');
      runInStore('delete from journal_watermarks where node = ?');
      setImmediate(() => worker.take({ kind: 'cleanUp', now: plain.at + hourLength }));
    });
  });
  expect(ledgerCount()).toBe(25);
  expect(journalsIn(folder.path)).toEqual([]);
  await store.close();
});
