import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { eraseVisitorRuns } from '../src/ledger/erase-visitor-runs.ts';
import type { FoldBatch, HourVisitors } from '../src/ledger/fold-store.ts';
import { minInChunk } from '../src/ledger/hit-chunk.ts';
import { PostgresFoldStore } from '../src/ledger/postgres-fold-store.ts';
import { hitColumns } from '../src/rules/click-fields.ts';
import { dayLength, hoursPerDay } from '../src/rules/utc-time.ts';
import { leastMigrationKey, requireMigration } from '../src/storage/least-migration.ts';
import { newestMigration } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { visitorsOn } from './support/stored-visitors.ts';

const organization = 3;
const day = 20_780;
const none = new Float64Array();
let journals = 0;

interface Some {
  readonly visitors: readonly number[];
  readonly day?: number;
  readonly hour?: number;
  readonly organization?: number;
}

/** A batch without hits, with these visitors of organizations. */
function batchOf(...groups: readonly Some[]): FoldBatch {
  const visitors: HourVisitors[] = groups.map((some) => ({
    hour: (some.day ?? day) * hoursPerDay + (some.hour ?? 0),
    owner: -(some.organization ?? organization),
    variant: 0,
    visitors: Float64Array.from(some.visitors).sort(),
  }));
  return {
    journal: `one/${++journals}`,
    now: 0,
    from: null,
    to: { segment: 1, offset: 1 },
    sweep: 0,
    newWords: new Map(),
    hits: { columns: hitColumns.map(() => none), count: 0 },
    isByLink: false,
    order: null,
    visitors: visitors.sort((one, other) => one.hour - other.hour || one.owner - other.owner),
    linkHours: { numbers: none, counts: [] },
    organizationRollups: none,
    linkClicks: none,
  };
}

const fails = () => {
  throw new Error('in the middle of a transaction');
};

/** Stores on a database of their own, which only the newest version uses unless `isShared`. */
async function aDatabase({ isShared = false } = {}) {
  const url = await migratedPostgres();
  const sql = new SQL({ url, max: 2 });
  const database = await openDatabase(url, '', fails);
  const alone = () => requireMigration(database, newestMigration);
  if (isShared) await sql`delete from settings where key = ${leastMigrationKey}`;
  const stores: PostgresFoldStore[] = [];
  const open = (maxVisitors?: number): PostgresFoldStore => {
    const store = new PostgresFoldStore(url, minInChunk, null, maxVisitors);
    stores.push(store);
    return store;
  };
  return {
    sql,
    database,
    alone,
    open,
    counted: async (): Promise<number> =>
      Number((await sql`select coalesce(sum(hits), 0) as hits from organization_rollups`)[0].hits),
    rows: async (): Promise<number> =>
      Number((await sql`select count(*) as count from daily_visitors`)[0].count),
    runs: async (): Promise<number> =>
      Number((await sql`select count(*) as count from visitor_runs`)[0].count),
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) await store.close();
      await database.close();
      await sql.end();
    },
  };
}

const fold = (store: PostgresFoldStore, ...groups: readonly Some[]): Promise<void> =>
  store.fold(batchOf(...groups), () => []);

test('visitors whom two nodes see at the same time are counted once on postgres', async () => {
  await using at = await aDatabase();
  const [one, other] = [at.open(), at.open()];
  await fold(one, { visitors: [1, 2, 3] });
  await fold(other, { visitors: [3, 4] });
  expect(await at.counted()).toBe(4);

  // The first fold waits with its visitors stored, and the other waits for the first.
  const holder = await at.sql.reserve();
  await holder`begin`;
  await holder`select from organization_rollups where organization_id = ${organization} for update`;
  const both = [fold(one, { visitors: [4, 5, 6] }), fold(other, { visitors: [6, 7] })];
  const waiting = async () =>
    (
      await at.sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    ).length === 2;
  await eventually(waiting, 'both nodes to be in the middle');
  await holder`commit`;
  holder.release();
  await Promise.all(both);
  expect(await at.counted()).toBe(7);
  expect((await visitorsOn(at.sql)).length).toBe(7);
  expect(await at.rows()).toBe(0);
});

test('three nodes that fail, restart and fold late count each visitor of a day once, in few runs', async () => {
  await using at = await aDatabase();
  const stores = [at.open(), at.open(), at.open()];
  const expected = new Set<string>();
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const some = (index: number): Some => ({
    day: day - (random(8) === 0 ? 1 : 0),
    hour: 3 * random(8) + index,
    organization: 1 + random(4),
    visitors: Array.from({ length: random(6) }, () => random(400) * 2 ** 42 + random(3)),
  });
  for (let round = 0; round < 250; round++) {
    const groups = stores.map(() => Array.from({ length: 1 + random(3) }, (_, index) => some(index)));
    await Promise.all(
      groups.map(async (given, index) => {
        const store = stores[index] as PostgresFoldStore;
        const batch = batchOf(...given);
        if (random(6) === 0) await expect(store.fold(batch, fails)).rejects.toThrow('in the middle');
        await store.fold(batch, () => []);
      }),
    );
    for (const given of groups.flat())
      for (const visitor of given.visitors) expected.add(`${given.day} -${given.organization} ${visitor}`);
    if (round % 50 === 49) stores[random(3)] = at.open();
  }
  const found = (await visitorsOn(at.sql)).map(({ day, owner, visitor }) => `${day} ${owner} ${visitor}`);
  expect(found.sort()).toEqual([...expected].sort());
  expect(await at.counted()).toBe(expected.size);
  expect(await at.rows()).toBe(0);
  expect(await at.runs()).toBeLessThan(2 * 256);
});

test('visitors of a day beyond what fits into memory are rows, and all are counted once', async () => {
  await using at = await aDatabase();
  const [one, other] = [at.open(10), at.open(10)];
  await fold(one, { visitors: [1, 2, 3, 4, 5, 6] });
  await fold(other, { visitors: [5, 6, 7, 8, 9] });
  expect([await at.counted(), await at.rows()]).toEqual([9, 3]);
  await Promise.all([
    fold(one, { visitors: [1, 7, 8, 20] }, { visitors: [20], hour: 5 }),
    fold(other, { visitors: [2, 20] }),
  ]);
  await fold(at.open(10), { visitors: [1, 9, 20] });
  expect([await at.counted(), await at.rows()]).toEqual([10, 4]);
  await fold(one, { visitors: [1, 2], day: day + 1 });
  expect([await at.counted(), await at.rows()]).toEqual([12, 4]);
});

test('a day that began with rows keeps them, and runs begin once all programs know them', async () => {
  await using at = await aDatabase({ isShared: true });
  const [one, other] = [at.open(), at.open()];
  // As programs of the previous release write it, beside newer ones.
  await at.sql`insert into daily_visitors (day, owner, visitor) values (${day}, ${-organization}, 1)`;
  await fold(one, { visitors: [1, 2] });
  await fold(one, { visitors: [1], day: day + 1 });
  expect(await at.runs()).toBe(0);
  await at.sql`insert into daily_visitors (day, owner, visitor) values (${day + 2}, ${-organization}, 1)`;
  await at.alone();
  for (const later of [0, 1, 2, 3]) await fold(other, { visitors: [1, 2, 3], day: day + later });
  expect(await at.runs()).toBe(1);
  expect((await visitorsOn(at.sql)).length).toBe(12);
  // Two of them were there before, so the fold didn't count them.
  expect(await at.counted()).toBe(10);
});

test('erased visitors are removed from the runs, and new again on every node', async () => {
  await using at = await aDatabase();
  const [one, other] = [at.open(), at.open()];
  const both = [{ visitors: [1, 2, 3] }, { visitors: [1, 2], organization: 4 }];
  for (let first = 0; first < 9; first++) await fold(one, { visitors: [10 + first], organization: 5 });
  await fold(one, ...both);
  await fold(other, ...both, { visitors: [1], day: day + 1 });
  const scope = {
    organizationId: organization,
    owner: { kind: 'organization', id: organization },
    from: null,
    to: (day + 1) * dayLength,
    change: null,
  } as const;
  const step = (cursor: number) =>
    at.database.write((queries) => eraseVisitorRuns(queries, scope, cursor, (day + 2) * dayLength));
  const { cursor } = await step(0);
  expect((await step(cursor ?? 0)).cursor).toBeNull();
  const left = (await visitorsOn(at.sql)).map((visit) => [visit.day - day, visit.owner]);
  expect(left.filter(([, owner]) => owner === -organization)).toEqual([[1, -organization]]);
  expect(left.length).toBe(9 + 2 + 1);
  const before = await at.counted();
  for (const store of [one, other]) await fold(store, ...both);
  expect((await at.counted()) - before).toBe(3);
});

test('visitors of past days are deleted, and a day that returns starts over', async () => {
  await using at = await aDatabase();
  const [one, other] = [at.open(), at.open()];
  for (const store of [one, other]) await fold(store, { visitors: [1] }, { visitors: [2], day: day + 1 });
  expect(await one.deleteVisitorsBefore(day + 1)).toBe(false);
  expect(await visitorsOn(at.sql)).toEqual([{ day: day + 1, owner: -organization, visitor: 2 }]);
  await fold(one, { visitors: [1, 3] });
  const before = await at.counted();
  await fold(other, { visitors: [1, 3] });
  expect(await at.counted()).toBe(before);
});
