import type { JobStore } from '../../storage/database.ts';
import { type HitFilter, organizationOf } from '../ledger.ts';
import { type ChunkSpan, rowsOf } from './chunk-rows.ts';
import { type ChunkRow, ChunkScan, liesWithin, passesWhole } from './chunk-scan.ts';
import { type ChunkCells, cellsInSqlite } from './chunk-store.ts';
import { type ChunkColumn, chunkColumns } from './hit-chunk.ts';
import { beginQuery, readCells } from './server-cells.ts';

/** What to read of each chunk when reading costs a round trip. */
export interface RequestedCells {
  readonly columns: (chunk: ChunkRow) => readonly ChunkColumn[];
  /** Read instead of the columns where a tally suffices. */
  readonly tally?: ChunkColumn;
}

/** How many chunks are read at once. The first is read alone, because it often fills a page. */
const chunksPerRead = { first: 1, growth: 8, max: 48 } as const;
/** Tallies are small. */
const talliesPerRead = { first: 512, growth: 1, max: 512 } as const;

/**
 * The chunks that may contain matching hits, by id. Later chunks have hits with higher ids, except for chunks that were made from
 * the same hits, one per month: these share their `first_id` and `last_id`.
 */
export async function* chunksOf(
  store: JobStore,
  span: ChunkSpan,
  requested: RequestedCells,
  order: 'asc' | 'desc' = 'asc',
): AsyncGenerator<ChunkScan, void, undefined> {
  const rows = await rowsOf(store, span, order);
  const { rowsSync, copy } = store;
  if (rowsSync !== null) {
    const cells = cellsInSqlite(rowsSync);
    for (const row of rows) {
      store.keepGoing();
      yield new ChunkScan(cells, row);
    }
    return;
  }
  if (copy === null) return;
  beginQuery();
  const { owner, values = [] } = span.filter;
  const hasTallies =
    requested.tally !== undefined &&
    owner.kind === 'organization' &&
    values.length === 0 &&
    owner.links === undefined;
  const { first, growth, max } = hasTallies ? talliesPerRead : chunksPerRead;
  let perRead: number = first;
  const read = (some: readonly ChunkRow[]): Promise<ChunkCells> =>
    readCells(copy, some, (chunk) => neededOf(chunk, span.filter, requested));
  let next = read(rows.slice(0, perRead));
  for (let at = 0; at < rows.length; ) {
    const cells = await next;
    const end = at + perRead;
    perRead = Math.min(perRead * growth, max);
    // The server reads the next ones while these are processed.
    next = read(rows.slice(end, end + perRead));
    next.catch(() => {});
    for (; at < Math.min(end, rows.length); at++) {
      store.keepGoing();
      const row = rows[at];
      if (row !== undefined) yield new ChunkScan(cells, row);
    }
  }
}

/**
 * Whether the chunks up to `upTo` still exist. Corrections delete chunks whose hits are also stored in rows and packs; in a SQLite
 * store they change the chunks instead.
 */
export async function stillExist(store: JobStore, { filter: { owner }, upTo }: ChunkSpan): Promise<boolean> {
  if (store.rowsSync !== null) return true;
  // Those that are made again may end elsewhere, and one of them may have hits from both sides of "upTo".
  const rows = await store.rows<{ id: number }>(
    'select id from hit_chunks where organization_id = $1 and last_id = $2 order by id desc limit 1',
    [organizationOf(owner), upTo],
  );
  return rows.length > 0;
}

/** Loads all columns of a chunk. */
export async function readWhole(store: JobStore, chunk: ChunkScan): Promise<void> {
  if (store.copy !== null)
    chunk.readFrom(await readCells(store.copy, [chunk.row], () => chunkColumns.map((name) => `c_${name}`)));
}

/** The needed columns, or only the tally if that suffices. */
function neededOf(chunk: ChunkRow, filter: HitFilter, requested: RequestedCells): string[] {
  if (requested.tally !== undefined && passesWhole(chunk, filter)) return [`t_${requested.tally}`];
  const { owner, values = [], classes } = filter;
  const columns = new Set<ChunkColumn>(requested.columns(chunk));
  for (const [name] of values) if (name !== 'organization_id' && name !== 'at') columns.add(name);
  if (owner.links !== undefined) columns.add('link_id');
  if (classes !== undefined) columns.add('rollup_class');
  if (!liesWithin(chunk, filter) || values.some(([name]) => name === 'at'))
    columns.add('hour').add('milliseconds');
  return [...columns].map((name) => `c_${name}`);
}
