import { hitColumns } from '../../rules/click-fields.ts';
import { monthOf } from '../../rules/utc-time.ts';
import type { FoldBatch, Hits } from '../fold-store.ts';
import { PackWriter } from '../packs/pack-writer.ts';
import { bigintArray } from './binary-arrays.ts';
import { idsOf, packingOf, packsOf, spanOf } from './hit-packing.ts';
import { insertRows } from './postgres-rows.ts';
import { type Query, unnested } from './sql-fold-store.ts';

/** A pack takes the space of about two rows, and a row costs several times as much WAL as on SQLite. */
export const minPacked = 8;

const instantColumn = hitColumns.indexOf('at');
const packsTable = 'hit_packs (id, organization_id, hits, first_at, last_at, first_link, last_link, cells)';
const hitsSql = `insert into hits (id, ${hitColumns.join(', ')})
  select * from ${unnested(['id', ...hitColumns].map(() => 'bigint'))}`;

const writer = new PackWriter();

/**
 * Writes the hits of a fold to a PostgreSQL store: packs, and rows for the rest. Returns a function that returns their ids, which are
 * consecutive and begin with `firstId`. `hasOlderNodes`: nodes of the previous release may read the packs.
 */
export async function appendHits(
  query: Query,
  batch: Pick<FoldBatch, 'isByLink' | 'hits'>,
  { firstId, hasOlderNodes }: { readonly firstId: number; readonly hasOlderNodes: boolean },
): Promise<() => Float64Array> {
  const packing = packingOf(batch, {
    minHits: minPacked,
    maxSpan: Number.POSITIVE_INFINITY,
    byMonth: true,
  });
  const [packs, links, cells]: [number[][], number[][], Uint8Array[]] = [[], [], []];
  for (const pack of packsOf(writer, packing, firstId)) {
    const { id, organizationId, hits, firstAt, lastAt } = pack;
    packs.push([id, organizationId, hits, firstAt, lastAt, pack.links[0] ?? 0, pack.links.at(-1) ?? 0]);
    cells.push(pack.cells.slice());
    if (hasOlderNodes) for (const link of pack.links) links.push([link, id, firstAt]);
  }
  await insertRows(query, packsTable, packs, cells);
  await insertRows(query, 'hit_pack_links (link_id, pack_id, first_at)', links);
  const { left, leftRows } = packing;
  if (left.count > 0) {
    const ids = idsOf(packing, firstId);
    const ofLeft = leftRows === null ? ids : Float64Array.from(leftRows, (row) => ids[row] ?? 0);
    const columns = left.columns.map((column) => bigintArray(column, left.count));
    await query(hitsSql, [bigintArray(ofLeft, left.count), ...columns]);
  }
  return () => idsOf(packing, firstId);
}

/** An instant in each month that has hits. */
export function monthsOf(hits: Hits): readonly number[] {
  if (hits.count === 0) return [];
  const { first, last } = spanOf(hits);
  if (monthOf(first) === monthOf(last)) return [first];
  const months = new Map<number, number>();
  for (let row = 0; row < hits.count; row++) {
    const at = hits.columns[instantColumn]?.[row] ?? 0;
    months.set(monthOf(at), at);
  }
  return [...months.values()];
}
