import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { minInChunk } from '../src/ledger/chunks/hit-chunk.ts';
import { eraseVisitorRuns } from '../src/ledger/corrections/erase-visitor-runs.ts';
import { eraseVisitors } from '../src/ledger/corrections/erase-visitors.ts';
import type { StepInput, StepResult } from '../src/ledger/corrections/step-result.ts';
import type { FoldBatch, HourVisitors } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { dayLength } from '../src/rules/durations.ts';
import { hoursPerDay } from '../src/rules/utc-time.ts';
import { requireMigration } from '../src/storage/min-migration.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { openDatabase } from '../src/storage/open.ts';
import { minMigrationKey } from '../src/storage/setting-keys.ts';
import { emptyBatch } from './support/empty-batch.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { visitorsOn } from './support/stored-visitors.ts';

const organization = 3;
const day = 20_780;
let journals = 0;

interface VisitorGroup {
  readonly visitors: readonly number[];
  readonly day?: number;
  readonly hour?: number;
  readonly organization?: number;
  /** Instead of an organization. */
  readonly link?: number;
}

/** A batch without hits, with these visitors of organizations and links. */
function batchOf(...groups: readonly VisitorGroup[]): FoldBatch {
  const visitors: HourVisitors[] = groups.map((group) => ({
    hour: (group.day ?? day) * hoursPerDay + (group.hour ?? 0),
    owner: group.link ?? -(group.organization ?? organization),
    variant: 0,
    visitors: Float64Array.from(group.visitors).sort(),
  }));
  return {
    ...emptyBatch(`one/${++journals}`),
    visitors: visitors.sort((one, other) => one.hour - other.hour || one.owner - other.owner),
  };
}

const throwError = () => {
  throw new Error('in the middle of a transaction');
};

/** Fold stores on a new database, which only programs of the newest version use unless `isShared`. */
async function foldStoreFixture({ isShared = false } = {}) {
  const url = await migratedPostgres();
  const sql = new SQL({ url, max: 2 });
  const database = await openDatabase(url, '', throwError);
  const requireNewest = () => requireMigration(database, newestMigration);
  if (isShared) await sql`delete from settings where key = ${minMigrationKey}`;
  const stores: PostgresFoldStore[] = [];
  const open = (maxVisitors?: number): PostgresFoldStore => {
    const store = new PostgresFoldStore(url, minInChunk, null, maxVisitors);
    stores.push(store);
    return store;
  };
  return {
    sql,
    database,
    requireNewest,
    open,
    visitorCount: async (): Promise<number> =>
      Number((await sql`select coalesce(sum(hits), 0) as hits from organization_rollups`)[0].hits),
    rowCount: async (): Promise<number> =>
      Number((await sql`select count(*) as count from daily_visitors`)[0].count),
    runCount: async (): Promise<number> =>
      Number((await sql`select count(*) as count from visitor_runs`)[0].count),
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) await store.close();
      await database.close();
      await sql.end();
    },
  };
}

const fold = (store: PostgresFoldStore, ...groups: readonly VisitorGroup[]): Promise<void> =>
  store.fold(batchOf(...groups), () => []);

test('visitors whom two nodes see at the same time are counted once on postgres', async () => {
  await using fixture = await foldStoreFixture();
  const [nodeA, nodeB] = [fixture.open(), fixture.open()];
  await fold(nodeA, { visitors: [1, 2, 3] });
  await fold(nodeB, { visitors: [3, 4] });
  expect(await fixture.visitorCount()).toBe(4);

  // The first fold waits with its visitors stored, and the other waits for the first.
  const lockingSession = await fixture.sql.reserve();
  await lockingSession`begin`;
  await lockingSession`select from organization_rollups where organization_id = ${organization} for update`;
  const both = [fold(nodeA, { visitors: [4, 5, 6] }), fold(nodeB, { visitors: [6, 7] })];
  const waiting = async () =>
    (
      await fixture.sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    ).length === 2;
  await eventually(waiting, 'both folds to wait for a lock');
  await lockingSession`commit`;
  lockingSession.release();
  await Promise.all(both);
  expect(await fixture.visitorCount()).toBe(7);
  expect((await visitorsOn(fixture.sql)).length).toBe(7);
  expect(await fixture.rowCount()).toBe(0);
});

test('three nodes that fail, restart and fold late count each visitor of a day once, in few runs', async () => {
  await using fixture = await foldStoreFixture();
  const stores = [fixture.open(), fixture.open(), fixture.open()];
  const expected = new Set<string>();
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const randomGroup = (index: number): VisitorGroup => ({
    day: day - (random(8) === 0 ? 1 : 0),
    hour: 3 * random(8) + index,
    organization: 1 + random(4),
    visitors: Array.from({ length: random(6) }, () => random(400) * 2 ** 42 + random(3)),
  });
  for (let round = 0; round < 250; round++) {
    const groups = stores.map(() => Array.from({ length: 1 + random(3) }, (_, index) => randomGroup(index)));
    await Promise.all(
      groups.map(async (groupsOfNode, index) => {
        const store = stores[index] as PostgresFoldStore;
        const batch = batchOf(...groupsOfNode);
        if (random(6) === 0) await expect(store.fold(batch, throwError)).rejects.toThrow('in the middle');
        await store.fold(batch, () => []);
      }),
    );
    for (const group of groups.flat())
      for (const visitor of group.visitors) expected.add(`${group.day} -${group.organization} ${visitor}`);
    if (round % 50 === 49) stores[random(3)] = fixture.open();
  }
  const found = (await visitorsOn(fixture.sql)).map(
    ({ day, owner, visitor }) => `${day} ${owner} ${visitor}`,
  );
  expect(found.sort()).toEqual([...expected].sort());
  expect(await fixture.visitorCount()).toBe(expected.size);
  expect(await fixture.rowCount()).toBe(0);
  expect(await fixture.runCount()).toBeLessThan(2 * 256);
});

test('visitors of a day beyond what fits into memory are stored as rows, and all are counted once', async () => {
  await using fixture = await foldStoreFixture();
  const [nodeA, nodeB] = [fixture.open(10), fixture.open(10)];
  await fold(nodeA, { visitors: [1, 2, 3, 4, 5, 6] });
  await fold(nodeB, { visitors: [5, 6, 7, 8, 9] });
  expect([await fixture.visitorCount(), await fixture.rowCount()]).toEqual([9, 3]);
  await Promise.all([
    fold(nodeA, { visitors: [1, 7, 8, 20] }, { visitors: [20], hour: 5 }),
    fold(nodeB, { visitors: [2, 20] }),
  ]);
  await fold(fixture.open(10), { visitors: [1, 9, 20] });
  expect([await fixture.visitorCount(), await fixture.rowCount()]).toEqual([10, 4]);
  await fold(nodeA, { visitors: [1, 2], day: day + 1 });
  expect([await fixture.visitorCount(), await fixture.rowCount()]).toEqual([12, 4]);
});

test('a day that began with rows keeps them, and runs are used once all programs support them', async () => {
  await using fixture = await foldStoreFixture({ isShared: true });
  const [nodeA, nodeB] = [fixture.open(), fixture.open()];
  // As programs of the previous release write it, beside newer ones.
  await fixture.sql`insert into daily_visitors (day, owner, visitor) values (${day}, ${-organization}, 1)`;
  await fold(nodeA, { visitors: [1, 2] });
  await fold(nodeA, { visitors: [1], day: day + 1 });
  expect(await fixture.runCount()).toBe(0);
  await fixture.sql`insert into daily_visitors (day, owner, visitor) values (${day + 2}, ${-organization}, 1)`;
  await fixture.requireNewest();
  for (const later of [0, 1, 2, 3]) await fold(nodeB, { visitors: [1, 2, 3], day: day + later });
  expect(await fixture.runCount()).toBe(1);
  expect((await visitorsOn(fixture.sql)).length).toBe(12);
  // Two of them were there before, so the fold didn't count them.
  expect(await fixture.visitorCount()).toBe(10);
});

test('erased visitors are removed from the runs, and new again on every node', async () => {
  await using fixture = await foldStoreFixture();
  const [nodeA, nodeB] = [fixture.open(), fixture.open()];
  const both = [{ visitors: [1, 2, 3] }, { visitors: [1, 2], organization: 4 }];
  for (let first = 0; first < 9; first++) await fold(nodeA, { visitors: [10 + first], organization: 5 });
  await fold(nodeA, ...both);
  await fold(nodeB, ...both, { visitors: [1], day: day + 1 });
  const scope = {
    organizationId: organization,
    owner: { kind: 'organization', id: organization },
    from: null,
    to: (day + 1) * dayLength,
    change: null,
  } as const;
  const input = { scope, hours: { from: 0, to: 0 }, requestedAt: (day + 2) * dayLength };
  const step = (cursor: number) =>
    fixture.database.write((queries) => eraseVisitorRuns(queries, { ...input, cursor }));
  const { cursor } = await step(0);
  expect((await step(cursor ?? 0)).cursor).toBeNull();
  const left = (await visitorsOn(fixture.sql)).map((visit) => [visit.day - day, visit.owner]);
  expect(left.filter(([, owner]) => owner === -organization)).toEqual([[1, -organization]]);
  expect(left.length).toBe(9 + 2 + 1);
  const before = await fixture.visitorCount();
  for (const store of [nodeA, nodeB]) await fold(store, ...both);
  expect((await fixture.visitorCount()) - before).toBe(3);
});

test('of an erased link, the organization forgets those who came to no other link, on every node', async () => {
  await using fixture = await foldStoreFixture();
  const [nodeA, nodeB] = [fixture.open(), fixture.open()];
  const ofLinks = [
    { link: 1, visitors: [1, 2, 3] },
    { link: 2, visitors: [2, 4] },
    { visitors: [1, 2, 3, 4] },
  ];
  for (const store of [nodeA, nodeB]) await fold(store, ...ofLinks);
  expect(await eraseLink(fixture, 1)).toBeNull();
  const left = (await visitorsOn(fixture.sql)).map(({ owner, visitor }) => [owner, visitor]);
  expect(left.sort()).toEqual([
    [-organization, 2],
    [-organization, 4],
    [2, 2],
    [2, 4],
  ]);
  expect(await fixture.visitorCount()).toBe(2);
  for (const store of [nodeB, nodeA]) await fold(store, ...ofLinks);
  expect(await fixture.visitorCount()).toBe(4);
});

test('on a day with runs and rows, visitors of an erased link stay known for the organization', async () => {
  await using fixture = await foldStoreFixture();
  const store = fixture.open(6);
  await fold(store, { link: 1, visitors: [1, 2] }, { visitors: [1, 2] });
  await fold(store, { link: 1, visitors: [3, 4] }, { visitors: [3, 4] });
  expect([await fixture.runCount(), await fixture.rowCount()]).toEqual([1, 4]);
  expect(await eraseLink(fixture, 1)).toBeNull();
  const left = (await visitorsOn(fixture.sql)).map(({ owner }) => owner);
  expect(left).toEqual(Array<number>(4).fill(-organization));
  expect(await fixture.visitorCount()).toBe(4);
});

/** Returns where the next step would continue. */
async function eraseLink(
  { database }: Awaited<ReturnType<typeof foldStoreFixture>>,
  link: number,
): Promise<number | null> {
  const owner = { kind: 'link', id: link, organizationId: organization } as const;
  const scope = { organizationId: organization, owner, from: null, to: (day + 1) * dayLength, change: null };
  let cursor: number | null = 0;
  for (const step of [eraseVisitors, eraseVisitorRuns, eraseVisitorRuns]) {
    const input: StepInput = {
      scope,
      hours: { from: 0, to: 0 },
      requestedAt: scope.to,
      cursor: cursor ?? 0,
    };
    const done: StepResult = await database.write((queries) => step(queries, input));
    cursor = done.cursor;
  }
  return cursor;
}

test('visitors of past days are deleted, and a day that returns starts over', async () => {
  await using fixture = await foldStoreFixture();
  const [nodeA, nodeB] = [fixture.open(), fixture.open()];
  for (const store of [nodeA, nodeB]) await fold(store, { visitors: [1] }, { visitors: [2], day: day + 1 });
  expect(await nodeA.deleteVisitorsBefore(day + 1)).toBe(false);
  expect(await visitorsOn(fixture.sql)).toEqual([{ day: day + 1, owner: -organization, visitor: 2 }]);
  await fold(nodeA, { visitors: [1, 3] });
  const before = await fixture.visitorCount();
  await fold(nodeB, { visitors: [1, 3] });
  expect(await fixture.visitorCount()).toBe(before);
});
