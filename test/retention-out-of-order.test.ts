import { afterAll, beforeAll, expect, test } from 'bun:test';
import { deleteExpired } from '../src/ledger/retention/retention.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { BatchFolder, type NewHit, zeroColumns } from './support/batch-folder.ts';
import { wholeLedger } from './support/hits.ts';
import { storeFolder } from './support/migrated-store.ts';

/*
 * The ids of hits rise in the order in which they were counted, which is not that of their time: some waited in a journal for days,
 * or were counted while the clock was ahead. PostgreSQL drops whole months.
 */

const now = Date.UTC(2026, 10, 29, 12);
const cutoff = now - 180 * dayLength;

let folder: Awaited<ReturnType<typeof storeFolder>>;
let database: Database;
let store: SqliteFoldStore;
let folding: BatchFolder;

beforeAll(async () => {
  folder = await storeFolder();
  database = await openDatabase(null, folder.path, () => {});
  store = new SqliteFoldStore(folder.path);
  folding = new BatchFolder(store);
});

afterAll(async () => {
  await store.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

/** Of a hundred organizations, each with enough hits for a pack. */
const hitsAt = (at: number, count: number): NewHit[] =>
  Array.from({ length: count }, (_, index) => ({
    ...zeroColumns,
    link_id: 1 + (index % 100),
    organization_id: 1 + (index % 100),
    at,
  }));

const deleteOld = () =>
  deleteExpired(
    store,
    { forgetBefore: async () => {} } as unknown as Parameters<typeof deleteExpired>[1],
    now,
    180,
    () => false,
    async () => {},
  );

test.each([
  ['rows', false, 3_000],
  ['packs', true, 4_200],
] as const)(
  'expired hits in %s are deleted behind some that have not expired',
  async (_, isByLink, count) => {
    const instants = [
      // Counted by a clock that was 100 days ahead, until it was set back.
      cutoff + 70 * dayLength,
      cutoff - 30 * dayLength,
      cutoff + 2 * dayLength,
      // Counted three days late.
      cutoff - hourLength,
      cutoff + 3 * dayLength,
    ];
    for (const at of instants) await folding.fold(hitsAt(at, count), isByLink);
    const packs = await database.read.selectFrom('hit_packs').select('id').execute();
    expect(packs.length).toBe(isByLink ? 500 : 0);
    await deleteOld();
    const left = Map.groupBy(await wholeLedger(database.read), ({ at }) => at);
    expect(new Map([...left].map(([at, hits]) => [at, hits.length]))).toEqual(
      new Map(instants.filter((at) => at >= cutoff).map((at) => [at, count])),
    );
    while (await store.deleteHitsBefore(now));
    expect(await wholeLedger(database.read)).toEqual([]);
  },
);
