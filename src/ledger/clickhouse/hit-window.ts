import { sql } from 'kysely';
import type { Queries } from '../../storage/schema.ts';
import { StoredColumns } from '../chunks/stored-columns.ts';
import { HitPack, type PackRow } from '../packs/hit-pack.ts';

/** How many ids are moved at a time. Retries use the same windows. */
export const windowLength = 65_536;

/** The number of the window that a hit is in. */
const windowOf = (id: number): number => Math.floor((id - 1) / windowLength);
export const windowEnd = (window: number): number => (window + 1) * windowLength;

/**
 * The hits in PostgreSQL whose row or pack begins in a window of ids, including packs that extend beyond its end.
 */
export async function hitsInWindow(queries: Queries, window: number): Promise<StoredColumns> {
  const [after, upTo] = [windowEnd(window - 1), windowEnd(window)];
  const rows = await queries
    .selectFrom('hits')
    .selectAll()
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .execute();
  const { rows: packs } = await sql<PackRow>`
    select id, hits, cells from hit_packs where id > ${after} and id <= ${upTo} order by id`.execute(queries);
  const hits = new StoredColumns(rows.length + packs.reduce((sum, pack) => sum + pack.hits, 0));
  for (const row of rows) hits.addHit(row);
  for (const pack of packs) hits.addPack(new HitPack(pack));
  return hits;
}

/** The next window with hits; null if there is none. */
export async function nextWindow(queries: Queries, window: number): Promise<number | null> {
  const after = windowEnd(window);
  const { rows } = await sql<{ id: number | null }>`select least(
    (select min(id) from hits where id > ${after}), (select min(id) from hit_packs where id > ${after})) as id`.execute(
    queries,
  );
  const id = rows[0]?.id ?? null;
  return id === null ? null : windowOf(Number(id));
}
