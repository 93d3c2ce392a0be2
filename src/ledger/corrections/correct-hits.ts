import { type HitColumn, hitColumns } from '../../rules/click-fields.ts';
import type { Database } from '../../storage/database.ts';
import { dialectOf } from '../../storage/dialect.ts';
import { numbersIn } from '../../storage/json-rows.ts';
import { idsOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import { deleteChunksSince, lockChunks } from '../chunks/delete-chunks.ts';
import { type CorrectionScope, filterOf, isInScope } from '../correction-scope.ts';
import type { StoredHit } from '../ledger.ts';
import { HitPack } from '../packs/hit-pack.ts';
import { minInPack } from '../packs/pack-layout.ts';
import { PackWriter } from '../packs/pack-writer.ts';
import { packsAfter } from '../packs/packed-hits.ts';
import { RowLedger } from '../row-ledger.ts';
import { changeTotals } from './change-totals.ts';
import { correctChunk, nextChunk } from './correct-chunks.ts';
import { corrected, differenceOf, idsInFlight, withClass } from './corrected-hits.ts';
import { deletePack } from './delete-pack.ts';

/** Few enough that no other change waits long behind a transaction. */
const rowsAtOnce = 2_048;
const packsAtOnce = 8;

/** Where the hits of a scope are stored, by id. */
export interface Part {
  /** A chunk instead of packs and rows; null if there are packs and rows. */
  readonly chunk: number | null;
  readonly packs: readonly number[];
  readonly rows: readonly number[];
  /** The last id that was checked. */
  readonly upTo: number;
  /** Whether no more hits follow. */
  readonly isLast: boolean;
}

/** The next hits of a scope after an id. */
export async function nextPart(database: Database, scope: CorrectionScope, after: number): Promise<Part> {
  const filter = filterOf(scope);
  const chunk = await nextChunk(database, scope, after);
  if (chunk !== null) return { chunk: chunk.id, packs: [], rows: [], upTo: chunk.last_id, isLast: false };
  const packs = await packsAfter(database, filter, after, packsAtOnce);
  const lastPack = packs.length < packsAtOnce ? undefined : packs.at(-1)?.pack;
  const end = lastPack ? lastPack.id + lastPack.count - 1 : Number.MAX_SAFE_INTEGER - 1;
  const rows = await new RowLedger(database).after(filter, { after, upTo: end, limit: rowsAtOnce });
  const isRowLimitReached = rows.length === rowsAtOnce;
  const upTo = isRowLimitReached ? (rows.at(-1)?.id ?? end) : end;
  const isLast = !isRowLimitReached && lastPack === undefined;
  const checkedPacks = packs.filter(({ pack }) => pack.id <= upTo);
  return {
    chunk: null,
    packs: checkedPacks.filter(({ pack }) => hasHitInScope(scope, pack)).map(({ pack }) => pack.id),
    rows: rows.filter((row) => isInScope(scope, row)).map(({ id }) => id),
    upTo: isLast
      ? Math.max(after, rows.at(-1)?.id ?? 0, ...checkedPacks.map(({ pack }) => pack.id + pack.count - 1))
      : upTo,
    isLast,
  };
}

function hasHitInScope(scope: CorrectionScope, pack: HitPack): boolean {
  const [at, link, ofClass] = [pack.column('at'), pack.column('link_id'), pack.column('class')];
  const reasons = pack.storedReasons;
  const organization_id = pack.column('organization_id')[0] ?? 0;
  for (let row = 0; row < pack.count; row++) {
    const hit = {
      organization_id,
      link_id: link[row] ?? 0,
      at: at[row] ?? 0,
      class: ofClass[row] ?? 0,
      reason: reasons[row] ?? 0,
    };
    if (isInScope(scope, hit)) return true;
  }
  return false;
}

/** Whether hits in the scope were added after this id. Called inside a transaction, which sees them. */
export async function hasLaterHits(
  database: Database,
  queries: Queries,
  scope: CorrectionScope,
  seenId: number,
): Promise<boolean> {
  const inTransaction = { ...database, read: queries };
  for (let after = Math.max(0, seenId - (dialectOf(queries).locksRows ? idsInFlight : 0)); ; ) {
    const part = await nextPart(inTransaction, scope, after);
    if (part.packs.length + part.rows.length > 0) return true;
    if (part.isLast) return false;
    after = part.upTo;
  }
}

/** Corrects the hits of a part and all that was counted from them. Returns how many there were. */
export async function correctPart(queries: Queries, scope: CorrectionScope, part: Part): Promise<number> {
  const { partitions } = dialectOf(queries);
  if (partitions) await lockChunks(queries, scope.organizationId);
  const rows = await rowsOf(queries, scope, part.rows);
  const packed = await correctPacks(queries, scope, part.packs);
  await correctRows(queries, scope, rows);
  const inChunk = part.chunk === null ? [] : await correctChunk(queries, scope, part.chunk);
  const hits = [...rows, ...packed, ...inChunk];
  if (partitions) await deleteChunksSince(queries, scope.organizationId, hits);
  await changeTotals(queries, differenceOf(scope, hits));
  return hits.length;
}

async function rowsOf(
  queries: Queries,
  scope: CorrectionScope,
  ids: readonly number[],
): Promise<readonly StoredHit[]> {
  if (ids.length === 0) return [];
  const rows = queries.selectFrom('hits').selectAll().where('id', 'in', numbersIn(queries, ids));
  const locked = await rows.orderBy('id').forUpdate().execute();
  return locked.filter((row) => isInScope(scope, row));
}

async function correctRows(
  queries: Queries,
  { change }: CorrectionScope,
  hits: readonly StoredHit[],
): Promise<void> {
  if (hits.length === 0) return;
  if (change === null) {
    const erased = queries.deleteFrom('hits').where('id', 'in', numbersIn(queries, idsOf(hits)));
    await erased.execute();
    return;
  }
  for (const [reason, some] of Map.groupBy(hits, (hit) => withClass(hit, change.to).reason)) {
    const changed = queries.updateTable('hits').set({ class: change.to, reason });
    await changed.where('id', 'in', numbersIn(queries, idsOf(some))).execute();
  }
}

/** Returns the hits in the scope, as they were before. */
async function correctPacks(
  queries: Queries,
  scope: CorrectionScope,
  ids: readonly number[],
): Promise<readonly StoredHit[]> {
  if (ids.length === 0) return [];
  const packs = queries.selectFrom('hit_packs').select(['id', 'hits', 'cells']);
  const wanted = packs.where('id', 'in', numbersIn(queries, ids)).orderBy('id').forUpdate();
  const found: StoredHit[] = [];
  const { change } = scope;
  for (const row of await wanted.execute()) {
    const pack = new HitPack(row);
    const hits = pack.storedHits;
    const inScope = hits.filter((hit) => isInScope(scope, hit));
    if (inScope.length === 0) continue;
    found.push(...inScope);
    if (change === null) await keepInPack(queries, pack, hits, new Set(inScope));
    else {
      const { cells } = packOf(corrected(scope, hits));
      await queries.updateTable('hit_packs').set({ cells }).where('id', '=', pack.id).execute();
    }
  }
  return found;
}

/** The cells of a pack of these hits. */
function packOf(hits: readonly StoredHit[]): { cells: Uint8Array; first_at: number; last_at: number } {
  const writer = new PackWriter();
  const columns = hitColumns.map((name: HitColumn) => Float64Array.from(hits, (hit) => hit[name] ?? -1));
  writer.begin({ columns, count: hits.length }, null);
  const cells = writer.pack(0, hits.length).slice();
  const [first_at, last_at] = writer.ends('at');
  return { cells, first_at, last_at };
}

/**
 * The hits of a pack have consecutive ids, so what is left of it becomes a pack for each run of remaining hits, or rows if the
 * run is short.
 */
async function keepInPack(
  queries: Queries,
  pack: HitPack,
  hits: readonly StoredHit[],
  erased: ReadonlySet<StoredHit>,
): Promise<void> {
  await deletePack(queries, pack);
  const rows: StoredHit[] = [];
  for (const run of runsOf(hits, erased)) {
    const [first] = run;
    if (first === undefined) continue;
    if (run.length < minInPack) {
      rows.push(...run);
      continue;
    }
    const { id, organization_id } = first;
    const kept = packOf(run);
    const { partitions } = dialectOf(queries);
    const links = [...new Set(run.map((hit) => hit.link_id))];
    const ends = partitions ? { first_link: links[0], last_link: links.at(-1) } : {};
    await queries
      .insertInto('hit_packs')
      .values({ id, organization_id, hits: run.length, ...kept, ...ends })
      .execute();
    // On PostgreSQL only the previous release reads these.
    const { first_at } = kept;
    const ofPack = partitions ? { pack_id: id, first_at } : { pack_id: id };
    await queries
      .insertInto('hit_pack_links')
      .values(links.map((link_id) => ({ link_id, ...ofPack })))
      .execute();
  }
  if (rows.length > 0) await queries.insertInto('hits').values(rows).execute();
}

function runsOf(hits: readonly StoredHit[], erased: ReadonlySet<StoredHit>): StoredHit[][] {
  const runs: StoredHit[][] = [[]];
  for (const hit of hits) {
    if (erased.has(hit)) runs.push([]);
    else runs.at(-1)?.push(hit);
  }
  return runs;
}
