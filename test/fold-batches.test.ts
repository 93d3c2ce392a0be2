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
import { enrichParts } from '../src/ledger/enrich.ts';
import type { FromFold } from '../src/ledger/fold-messages.ts';
import { type DeliveriesOf, type FoldBatch, JournalTaken } from '../src/ledger/fold-store.ts';
import { FoldWorker, type FoldWorkerParts } from '../src/ledger/fold-worker.ts';
import { ownSalts, SaltFolder } from '../src/ledger/salts/salt-folder.ts';
import { SqliteFoldStore } from '../src/ledger/sqlite-fold-store.ts';
import { DailySalts } from '../src/ledger/visitor-hash.ts';
import { StoreAway } from '../src/rules/errors.ts';
import { openDatabase } from '../src/storage/open.ts';
import { leftoverJournal, ownJournal } from './support/fold-worker.ts';
import { plainHit } from './support/plain-hit.ts';
import { temporaryFolder } from './support/program.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

const plain: RawHit = { ...plainHit, at: Date.UTC(2026, 10, 19) };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
  await (await openDatabase(null, folder.path, () => {})).close();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Writes that many records of one hit each, the first at `from`. Returns where they end. */
function written(name: JournalName, records: number, from = plain.at): Position {
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

/** Folds in short turns, with hooks to observe them. */
class WatchedStore extends SqliteFoldStore {
  isAway = false;
  onTurn: (batch: FoldBatch) => void = () => {};
  beforeTurn: () => void = () => {};

  override batchLength(): number {
    return 10;
  }

  override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    if (this.isAway) throw new StoreAway('away');
    this.beforeTurn();
    await super.fold(batch, deliveries);
    this.onTurn(batch);
  }
}

/** As with a slow disk. */
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
      dataDir: folder.path,
      saltDir: join(folder.path, 'visitor-salts'),
      saltKey: '',
      databaseUrl: null,
      clickServer: null,
      origin: 'http://127.0.0.1',
      daysKept: 180,
      clock: 'told',
      keep: { milliseconds: 0, bytes: 0 },
      repeatWindow: 2_000,
      floodLimit: 30_000,
      countryFile: null,
      webhookAddress: 'none',
      journal: ownJournal,
    },
    store,
    salts,
    enrich: enrichParts({ countryOf: () => 'XX', isOwnHost: () => false, salts }),
    hosts: new Set(),
    // All hits are earlier.
    now: plain.at + 3_600_000,
    deliveriesOf,
    tell,
  });
}

const ledger = (): number => {
  const database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  const [[count] = []] = database.query('select count(*) from hits').values();
  database.close();
  return Number(count);
};

test('fresh hits are folded between the batches of a leftover journal', async () => {
  written(leftoverJournal, 100);
  const end = written(ownJournal, 5);
  const store = new WatchedStore(folder.path);
  const turns: string[] = [];
  const recovered = new Promise<void>((resolve) => {
    const desk = workerOf(store, (message) => message.kind === 'recovered' && resolve());
    store.onTurn = ({ journal, hits }) => {
      turns.push(`${journal} ${hits.count}`);
      // As the thread receives it: not before the fold yields.
      if (turns.length === 2) setImmediate(() => desk.take({ kind: 'wake', end, now: plain.at }));
    };
  });
  await recovered;
  expect(turns).toEqual([
    'here/left 10',
    'here/left 10',
    'here/own 5',
    ...Array.from({ length: 8 }, () => 'here/left 10'),
  ]);
  expect(ledger()).toBe(105);
  expect(journalsIn(folder.path)).toEqual([ownJournal]);
  await store.close();
});

test('a visit during retention is counted between two parts of it, within two seconds', async () => {
  const old = new Database(join(folder.path, 'linnet.sqlite'));
  old.run(`insert into hits (link_id, organization_id, at, outcome, target, class, reason, device, source, country, os, browser,
      language, referrer, utm_source, utm_medium, utm_campaign, utm_term, utm_content, rule, variant)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
    select 1, 1, n, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from numbers`);
  old.close();
  const happened: string[] = [];
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  let visitedAt = 0;
  let countedAfter = Number.POSITIVE_INFINITY;
  class RetainingStore extends WatchedStore {
    override async deleteHitsBefore(at: number, now?: number): Promise<boolean> {
      const hasMore = await super.deleteHitsBefore(at, now);
      happened.push(hasMore ? 'part' : 'end');
      if (visitedAt === 0) {
        visitedAt = performance.now();
        desk.take({ kind: 'wake', end: written(ownJournal, 3), now: plain.at + 3_600_000 });
      }
      if (!hasMore) resolve();
      return hasMore;
    }
  }
  const store = new RetainingStore(folder.path);
  store.onTurn = () => {
    happened.push('visits');
    countedAfter = performance.now() - visitedAt;
  };
  const desk = workerOf(store, () => {});
  await isOver;
  expect(happened.slice(0, 3)).toEqual(['part', 'visits', 'part']);
  expect(happened.filter((what) => what === 'part').length).toBeGreaterThan(3);
  expect(countedAfter).toBeLessThan(scaledToLoad(2_000));
  expect(ledger()).toBe(3);
  const stopped = new Promise<void>((resolve) => {
    store.close = async () => resolve();
  });
  desk.take({ kind: 'stop', end: { segment: 1, offset: 0 }, now: plain.at });
  await stopped;
});

test('no batch loses its hits when an idle thread collects garbage while it waits for the store, nor does a later one', async () => {
  written(leftoverJournal, 35);
  const store = new WatchedStore(folder.path);
  const toldOf: number[] = [];
  const tellHooks: FoldWorkerParts['deliveriesOf'] = (clicks) => () => {
    toldOf.push(...clicks(new Map([[plain.linkId, true]])).map((click) => click.at));
    return [];
  };
  await new Promise<void>((resolve) => {
    const desk = workerOf(store, (message) => message.kind === 'recovered' && resolve(), tellHooks);
    store.beforeTurn = () => desk.release();
    store.onTurn = () => setImmediate(() => desk.release());
  });
  const database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  const instants = database.query('select at from hits order by at').values();
  database.close();
  const all = Array.from({ length: 35 }, (_, record) => plain.at + record * 20_000);
  expect(instants.flat()).toEqual(all);
  // Repeat visits within seconds aren't counted; these are 20 seconds apart.
  expect(toldOf).toEqual(all);
  await store.close();
});

test('a stop while the store is away, in the middle of a leftover journal, leaves the rest to the next start', async () => {
  written(leftoverJournal, 100);
  const store = new WatchedStore(folder.path);
  await new Promise<void>((resolve) => {
    const desk = workerOf(store, (message) => message.kind === 'stopped' && resolve());
    let turns = 0;
    store.onTurn = () => {
      if (++turns !== 3) return;
      store.isAway = true;
      desk.take({ kind: 'stop', end: { segment: 1, offset: 0 }, now: plain.at });
    };
  });
  expect(ledger()).toBe(30);
  const again = new WatchedStore(folder.path);
  await new Promise<void>((resolve) =>
    workerOf(again, (message) => message.kind === 'recovered' && resolve()),
  );
  expect(ledger()).toBe(100);
  await again.close();
});

test('while others change something in SQLite the batches are short, and long again afterwards', async () => {
  const store = new SqliteFoldStore(folder.path);
  const long = store.batchLength();
  const other = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  other.run("insert into settings (key, value) values ('a', 'b')");
  expect(store.batchLength()).toBeLessThan(long);
  other.close();
  await store.deleteHitsBefore(1);
  expect(new SqliteFoldStore(folder.path).batchLength()).toBe(long);
  await store.close();
});

test('after a slow batch the next ones are shorter, even more while others change something', async () => {
  const store = new SlowStore(folder.path);
  const long = store.batchLength();
  const end = written(ownJournal, 5);
  await new Promise<void>((resolve) => {
    const desk = workerOf(store, ({ kind }) => kind === 'folded' && resolve());
    desk.take({ kind: 'wake', end, now: plain.at });
  });
  expect(ledger()).toBe(5);
  const afterwards = store.batchLength();
  expect(afterwards).toBeLessThan(long);
  const other = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  other.run("insert into settings (key, value) values ('a', 'b')");
  expect(store.batchLength()).toBeLessThan(afterwards);
  expect(store.batchLength()).toBeGreaterThan(1_000);
  other.close();
  await store.close();
});

test("another worker's fold is no reason for short batches, but other changes are", async () => {
  const store = new SqliteFoldStore(folder.path);
  const long = store.batchLength();
  const other = new WatchedStore(folder.path);
  const desk = workerOf(other, () => {});
  const fold = (end: Position) =>
    new Promise<void>((resolve) => {
      other.onTurn = () => resolve();
      desk.take({ kind: 'wake', end, now: plain.at });
    });
  await fold(written(ownJournal, 2));
  expect(ledger()).toBe(2);
  expect(store.batchLength()).toBe(long);
  const writer = new Database(join(folder.path, 'linnet.sqlite'), { readwrite: true });
  writer.run("insert into changes (at, domain_id, suffixes) values (0, 0, 'a')");
  writer.close();
  const { segment, offset } = written(ownJournal, 2, plain.at + 60_000);
  await fold({ segment, offset: offset * 2 });
  expect(ledger()).toBe(4);
  expect(store.batchLength()).toBeLessThan(long);
  await store.close();
  await other.close();
});

test('what a killed process had sent to the database is not counted again, and the rest of its journal is', async () => {
  written(leftoverJournal, 25);
  class LateCommit extends WatchedStore {
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
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    workerOf(store, (message) => {
      told.push(message.kind === 'warning' ? message.event : message.kind);
      if (message.kind === 'recovered') resolve();
    });
  });
  expect(told).toContain('journal folded elsewhere');
  expect(ledger()).toBe(25);
  expect(journalsIn(folder.path)).toEqual([]);
}, 240_000);

test('a journal whose copy another node was folding is folded here once the database has lost it', async () => {
  written(leftoverJournal, 25);
  const inStore = (statement: string) => {
    using database = new Database(join(folder.path, 'linnet.sqlite'));
    database.run(statement, [watermarkKey(leftoverJournal)]);
  };
  class CopiedElsewhere extends WatchedStore {
    isFirst = true;

    override async fold(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
      // The other node was faster.
      if (this.isFirst)
        inStore('insert into journal_watermarks (node, segment, byte_offset) values (?, 2, 0)');
      this.isFirst = false;
      await super.fold(batch, deliveries);
    }
  }
  const store = new CopiedElsewhere(folder.path);
  await new Promise<void>((resolve) => {
    const desk = workerOf(store, (message) => {
      if (message.kind === 'recovered') resolve();
      if (message.kind !== 'warning') return;
      expect(message.event).toBe('journal folded elsewhere');
      inStore('delete from journal_watermarks where node = ?');
      setImmediate(() => desk.take({ kind: 'cleanUp', now: plain.at + 3_600_000 }));
    });
  });
  expect(ledger()).toBe(25);
  expect(journalsIn(folder.path)).toEqual([]);
  await store.close();
});
