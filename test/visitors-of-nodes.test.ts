import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { FoldBatch, HourVisitors } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/postgres-fold-store.ts';
import { hitColumns } from '../src/rules/click-fields.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';

const organization = 3;
const day = 20_780;
const none = new Float64Array();

/** A batch without hits, of which the organization has these visitors. */
function batchOf(journal: string, visitors: readonly number[]): FoldBatch {
  const groups: HourVisitors[] = [
    { hour: day * 24, owner: -organization, variant: 0, visitors: Float64Array.from(visitors).sort() },
  ];
  return {
    journal,
    now: 0,
    from: null,
    to: { segment: 1, offset: 1 },
    sweep: 0,
    newWords: new Map(),
    hits: { columns: hitColumns.map(() => none), count: 0 },
    isByLink: false,
    order: null,
    visitors: groups,
    linkHours: { numbers: none, counts: [] },
    organizationRollups: none,
    linkClicks: none,
  };
}

test('visitors whom two nodes see at the same time are counted once on postgres', async () => {
  const url = await migratedPostgres();
  const [one, other] = [new PostgresFoldStore(url), new PostgresFoldStore(url)];
  const sql = new SQL({ url, max: 2 });
  const counted = async () =>
    Number(
      (
        await sql`select sum(hits) as hits from organization_rollups where organization_id = ${organization}`
      )[0].hits,
    );
  await one.fold(batchOf('one/first', [1, 2, 3]), () => []);
  await other.fold(batchOf('other/first', [3, 4]), () => []);
  expect(await counted()).toBe(4);

  // The first of the two waits with its visitors in the store, and the other one for it.
  const holder = await sql.reserve();
  await holder`begin`;
  await holder`select from organization_rollups where organization_id = ${organization} for update`;
  const both = [
    one.fold(batchOf('one/second', [4, 5, 6]), () => []),
    other.fold(batchOf('other/second', [6, 7]), () => []),
  ];
  const waiting = async () =>
    (
      await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    ).length === 2;
  await eventually(waiting, 'both nodes to be in the middle');
  await holder`commit`;
  holder.release();
  await Promise.all(both);
  expect(await counted()).toBe(7);
  expect(Number((await sql`select count(*) as count from daily_visitors`)[0].count)).toBe(7);
  for (const store of [one, other]) await store.close();
  await sql.end();
});
