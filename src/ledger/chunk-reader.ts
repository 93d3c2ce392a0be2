import type { JobStore } from '../storage/database.ts';
import { type ChunkSpan, rowsOf } from './chunk-rows.ts';
import { type ChunkRow, ChunkScan } from './chunk-scan.ts';
import { type ChunkCells, cellsInSqlite } from './chunk-store.ts';
import { type ChunkColumn, chunkColumns } from './hit-chunk.ts';
import { type HitFilter, organizationOf, type Times } from './ledger.ts';
import { beginQuestion, readCells } from './server-cells.ts';

/** What is read of each chunk where reading costs a round trip. */
export interface WantedCells {
  readonly columns: (chunk: ChunkRow) => readonly ChunkColumn[];
  /** Is read in the place of the columns where a tally is an answer. */
  readonly tally?: ChunkColumn;
}

/** Chunks whose cells are read together; the first is asked for alone, as it often is enough for a page. */
const readTogether = { first: 1, growth: 8, max: 48 } as const;
/** Tallies are small. */
const talliesTogether = { first: 512, growth: 1, max: 512 } as const;

/**
 * The chunks that may have what is asked for, by their ids. Ids of hits rise with those of chunks, save for chunks that were made
 * of the same hits by their months: these have the same `first_id` and `last_id`.
 */
export async function* chunksOf(
  store: JobStore,
  span: ChunkSpan,
  wanted: WantedCells,
  order: 'asc' | 'desc' = 'asc',
): AsyncGenerator<ChunkScan, void, undefined> {
  const rows = await rowsOf(store, span, order);
  const { rowsAtOnce, copy } = store;
  if (rowsAtOnce !== null) {
    const cells = cellsInSqlite(rowsAtOnce);
    for (const row of rows) {
      store.keepGoing();
      yield new ChunkScan(cells, row);
    }
    return;
  }
  if (copy === null) return;
  beginQuestion();
  const { owner, values = [] } = span.filter;
  const hasTallies =
    wanted.tally !== undefined &&
    owner.kind === 'organization' &&
    values.length === 0 &&
    owner.links === undefined;
  const { first, growth, max } = hasTallies ? talliesTogether : readTogether;
  let together: number = first;
  const read = (some: readonly ChunkRow[]): Promise<ChunkCells> =>
    readCells(copy, some, (chunk) => neededOf(chunk, span.filter, wanted));
  let next = read(rows.slice(0, together));
  for (let at = 0; at < rows.length; ) {
    const cells = await next;
    const end = at + together;
    together = Math.min(together * growth, max);
    // The server reads the next ones while these are looked at.
    next = read(rows.slice(end, end + together));
    next.catch(() => {});
    for (; at < Math.min(end, rows.length); at++) {
      store.keepGoing();
      const row = rows[at];
      if (row !== undefined) yield new ChunkScan(cells, row);
    }
  }
}

/**
 * Whether what was found to be in chunks still is. Corrections take chunks away where their hits are elsewhere, too; in a SQLite
 * store they change them.
 */
export async function areThere(store: JobStore, { filter: { owner }, upTo }: ChunkSpan): Promise<boolean> {
  if (store.rowsAtOnce !== null) return true;
  const [row] = await store.rows<{ last_id: number }>(
    'select last_id from hit_chunks where id = (select max(id) from hit_chunks where organization_id = $1)',
    [organizationOf(owner)],
  );
  return row !== undefined && row.last_id >= upTo;
}

/** Has all columns of a chunk read. */
export async function readWhole(store: JobStore, chunk: ChunkScan): Promise<void> {
  if (store.copy !== null)
    chunk.readFrom(await readCells(store.copy, [chunk.row], () => chunkColumns.map((name) => `c_${name}`)));
}

/** Whether all hits of a chunk are of these times. */
export const liesWithin = (
  { first_at, last_at }: Pick<ChunkRow, 'first_at' | 'last_at'>,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Times,
): boolean => from <= first_at && to > last_at;

/** The columns, and where a tally is an answer that alone. */
function neededOf(
  chunk: ChunkRow,
  { owner: { links }, values = [], classes, from, to }: HitFilter,
  wanted: WantedCells,
): string[] {
  const isWithin = liesWithin(chunk, { from, to });
  const isWhole = isWithin && chunk.end_row - chunk.first_row === chunk.hits;
  if (wanted.tally !== undefined && isWhole && values.length === 0 && links === undefined)
    return [`t_${wanted.tally}`];
  const columns = new Set<ChunkColumn>(wanted.columns(chunk));
  for (const [name] of values) if (name !== 'organization_id' && name !== 'at') columns.add(name);
  if (links !== undefined) columns.add('link_id');
  if (classes !== undefined) columns.add('rollup_class');
  if (!isWithin || values.some(([name]) => name === 'at')) columns.add('hour').add('milliseconds');
  return [...columns].map((name) => `c_${name}`);
}
