import { sql } from 'kysely';
import { hitColumns } from '../../rules/click-fields.ts';
import { monthBegin, monthOf } from '../../rules/utc-time.ts';
import type { Database } from '../../storage/database.ts';
import { requireMigration } from '../../storage/min-migration.ts';
import {
  deleteMovedHits,
  hitLocation,
  hitMove,
  hitStoreId,
  hitsMovedAt,
  hitTablesMade,
} from '../../storage/moved-hits.ts';
import { newestMigration } from '../../storage/newest-migration.ts';
import { hasOlderProcess } from '../../storage/nodes.ts';
import { idsOf } from '../../storage/rows.ts';
import { deletedBefore } from '../../storage/setting-keys.ts';
import { claimSetting, deleteSetting, findSetting, replaceSetting } from '../../storage/settings.ts';
import { valuesOf } from '../chunks/chunk-column.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { prepareTables } from './clickhouse-tables.ts';
import { hitBlock, insertHitsSql } from './hit-block.ts';
import { hitsInWindow, nextWindow, windowEnd } from './hit-window.ts';
import { noteMoved } from './uncounted-batches.ts';

/** Milliseconds for the insertion of a window. */
const timeout = 60_000;
const rewriteTimeout = 600_000;
/** Milliseconds between two checks of whether earlier transactions have ended. */
const fencePause = 100;

/** Why hits can't be moved, and what to do: one line for the operator. */
export class MoveProblem extends Error {
  override readonly name = 'MoveProblem';
}

interface MoveParts {
  readonly database: Database;
  readonly client: ClickhouseClient;
  readonly now: () => number;
  readonly newStoreId: () => string;
  /** Called from time to time: how many hits this run has moved, up to which id, and the newest id. */
  readonly onProgress?: (hits: number, upTo: number, newest: number) => void;
}

/**
 * Moves the hits of a store from PostgreSQL to ClickHouse. Nodes keep folding into PostgreSQL while nearly all hits are copied in
 * windows of ids. Each window is one insertion with its own token, so repeating it changes nothing. Then a setting records that
 * hits are in ClickHouse: from that transaction on, no node adds hits to PostgreSQL, and the rest is copied. If a run ends early,
 * the next one continues.
 */
export async function moveHits(parts: MoveParts): Promise<{ readonly hits: number }> {
  const { database, client } = parts;
  const storeId = await begin(parts);
  let { hits, window } = await copyWhole(parts, storeId);
  await database.write(async (queries) => {
    await claimSetting(queries, hitStoreId, storeId);
    await replaceSetting(queries, hitTablesMade, storeId);
  });
  // Waits for folds that began before this setting.
  const newest = await settledId(database);
  for (let next = await nextWindow(database.read, window); next !== null; ) {
    hits += await copyWindow(parts, next);
    window = next;
    next = await nextWindow(database.read, window);
  }
  await noteMoved(client, newest, parts.now());
  await deleteOrphans(parts);
  await compareCounts(parts, newest);
  await database.write(async (queries) => {
    await deleteSetting(queries, hitMove);
    await replaceSetting(queries, hitsMovedAt, String(parts.now()));
  });
  return { hits };
}

/** Deletes the moved hits that PostgreSQL still has. */
export async function deleteMoved(database: Database): Promise<void> {
  await database.write(async (queries) => {
    for (const statement of deleteMovedHits) await sql.raw(statement).execute(queries);
  });
}

/** Begins the move, or continues that of an earlier run. Returns the store's id. */
async function begin({ database, client, now, newStoreId }: MoveParts): Promise<string> {
  if (await hasOlderProcess(database.read, newestMigration, now()))
    throw new MoveProblem('A node of an earlier version is running. Upgrade it first.');
  await requireMigration(database, newestMigration);
  const existingMove = (await hitLocation(database.read)).move;
  const storeId = existingMove?.split(' ')[0] ?? newStoreId();
  await prepareTables(client, storeId, false);
  await database.write((queries) => claimSetting(queries, hitMove, `${storeId} -1`));
  // Waits for steps of corrections that began before this setting.
  await settledId(database);
  return (await hitLocation(database.read)).move?.split(' ')[0] ?? storeId;
}

async function copyWhole(
  parts: MoveParts,
  storeId: string,
): Promise<{ readonly hits: number; readonly window: number }> {
  const { database, onProgress } = parts;
  const lastWindow = Number((await hitLocation(database.read)).move?.split(' ')[1] ?? -1);
  let [hits, window] = [0, lastWindow];
  for (let settled = await settledId(database); ; ) {
    const next = await nextWindow(database.read, window);
    if (next === null || windowEnd(next) > settled) {
      const later = await settledId(database);
      if (next === null || windowEnd(next) > later) return { hits, window };
      settled = later;
    }
    hits += await copyWindow(parts, next);
    window = next;
    await database.write((queries) => replaceSetting(queries, hitMove, `${storeId} ${next}`));
    onProgress?.(hits, windowEnd(next), settled);
  }
}

async function copyWindow({ database, client }: MoveParts, window: number): Promise<number> {
  const hits = await hitsInWindow(database.read, window);
  const { count, ids } = hits;
  if (count === 0) return 0;
  const columns = hitColumns.map((name) => valuesOf(hits.column(name), count));
  const block = hitBlock({ columns, count }, (row) => ids[row] ?? 0);
  await client.insert(insertHitsSql, block, `moved ${window}`, timeout);
  return count;
}

/**
 * Waits for all transactions that are running now, and returns an id up to which no more hits will appear. See
 * `postgres-chunks.ts`.
 */
async function settledId({ read, write }: Database): Promise<number> {
  const settled = await write(async (queries) => {
    const { rows } = await sql<{ settled: number }>`
      update hit_ids set settled = newest returning settled`.execute(queries);
    return Number(rows[0]?.settled ?? 0);
  });
  const { rows } = await sql<{ xid: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as xid`.execute(read);
  for (;;) {
    const { rows: oldest } = await sql<{ is_over: boolean | number }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::numeric >= ${rows[0]?.xid}::text::numeric as is_over`.execute(
      read,
    );
    if (oldest[0]?.is_over) return settled;
    await Bun.sleep(fencePause);
  }
}

/** Deletes the hits of organizations that were deleted while their hits were copied. */
async function deleteOrphans({ database, client }: MoveParts): Promise<void> {
  const owners = await client.rows<{ id: number }>('select distinct organization_id as id from hits');
  if (owners.length === 0) return;
  const found = await database.read
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', idsOf(owners))
    .execute();
  const existing = new Set(idsOf(found));
  for (const { id } of owners)
    if (!existing.has(id))
      await client.run(`alter table hits delete where organization_id = ${id}`, rewriteTimeout);
}

/** Compares the number of hits per organization, in the months that retention doesn't drop meanwhile. */
async function compareCounts({ database, client }: MoveParts, newest: number): Promise<void> {
  const deleted = Number((await findSetting(database.read, deletedBefore)) ?? 0);
  const since = deleted === 0 ? 0 : monthBegin(monthOf(deleted) + 1);
  const counted = sql<{ id: number; hits: number }>`
    select organization_id as id, sum(hits) as hits from (
      select organization_id, count(*) as hits from hits where at >= ${since} group by 1
      union all
      select organization_id, sum(hits) as hits from hit_packs where first_at >= ${since} group by 1
    ) as counted group by 1 having sum(hits) > 0 order by 1`;
  const { rows } = await database.migrate((queries) => counted.execute(queries));
  const countsInClickhouse = new Map(
    (
      await client.rows<{ id: number; hits: number }>(
        `select organization_id as id, count() as hits from hits where at >= ${since} and id <= ${newest} group by 1`,
      )
    ).map(({ id, hits }) => [id, hits]),
  );
  const mismatch = rows.find(({ id, hits }) => countsInClickhouse.get(Number(id)) !== Number(hits));
  if (mismatch === undefined && countsInClickhouse.size === rows.length) return;
  const id =
    mismatch?.id ?? [...countsInClickhouse.keys()].find((one) => rows.every((row) => Number(row.id) !== one));
  await database.write(async (queries) => {
    await deleteSetting(queries, hitStoreId);
    await deleteSetting(queries, hitMove);
  });
  throw new MoveProblem(
    `ClickHouse has ${countsInClickhouse.get(Number(id)) ?? 0} individual clicks of the organization ${id}, and PostgreSQL has ${mismatch?.hits ?? 0}. Nothing was switched over: empty the database in ClickHouse, and begin again.`,
  );
}
