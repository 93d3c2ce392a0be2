import type { JobStore } from '../storage/database.ts';
import { type ChunkRow, ChunkScan } from './chunk-scan.ts';
import { type ChunkCells, cellsInSqlite } from './chunk-store.ts';
import { type ChunkColumn, chunkColumns } from './hit-chunk.ts';
import type { HitFilter, Times } from './ledger.ts';
import { beginQuestion, readCells } from './server-cells.ts';

/** Which chunks of an owner are looked at: those up to `upTo`, and where there is a span of ids those that have some of it. */
export interface ChunkSpan {
  readonly filter: HitFilter;
  readonly upTo: number;
  /** Both excluded. */
  readonly above?: number;
  readonly below?: number;
}

/** What is read of each chunk where reading costs a round trip. */
export interface WantedCells {
  readonly columns: (chunk: ChunkRow) => readonly ChunkColumn[];
  /** Is read in the place of the columns where a tally is an answer. */
  readonly tally?: ChunkColumn;
}

const chunkFacts =
  'chunks.id, chunks.hits, chunks.organization_id, chunks.first_id, chunks.last_id, chunks.first_at, chunks.last_at';

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
  const newest =
    owner.kind === 'organization'
      ? 'select max(id) from hit_chunks where organization_id = $1'
      : 'select max(chunk_id) from hit_chunk_links where link_id = $1';
  const [row] = await store.rows<{ last_id: number }>(
    `select last_id from hit_chunks where id = (${newest})`,
    [owner.id],
  );
  return row !== undefined && row.last_id >= upTo;
}

/** Has all columns of a chunk read. */
export async function readWhole(store: JobStore, chunk: ChunkScan): Promise<void> {
  if (store.copy !== null)
    chunk.readFrom(await readCells(store.copy, [chunk.row], () => chunkColumns.map((name) => `c_${name}`)));
}

async function rowsOf(
  store: JobStore,
  { filter: { owner, classes, from, to }, upTo, above, below }: ChunkSpan,
  order: 'asc' | 'desc',
): Promise<readonly ChunkRow[]> {
  const ofLink = owner.kind === 'link';
  const values = [owner.id, upTo];
  const conditions = [ofLink ? 'links.link_id = $1' : 'chunks.organization_id = $1', 'chunks.last_id <= $2'];
  const where = (condition: string, value: number | undefined) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  };
  where('chunks.last_id > ?', above);
  where('chunks.first_id < ?', below);
  where('chunks.last_at >= ?', from);
  where('chunks.first_at < ?', to);
  where(
    'chunks.classes & ? <> 0',
    classes?.reduce((bits, one) => (one < 0 ? bits : bits | (1 << one)), 0),
  );
  const [rows, key] = ofLink
    ? [
        `links.first_row, links.end_row
          from ${store.copy === null ? byChunk : byLink}`,
        store.copy === null ? 'chunks.id' : 'links.chunk_id',
      ]
    : ['0 as first_row, chunks.hits as end_row from hit_chunks as chunks', 'chunks.id'];
  if (ofLink && store.copy === null)
    conditions.push('chunks.organization_id = (select organization_id from links where id = $1)');
  const version = store.copy === null ? "''" : "concat(chunks.xmin, '-', chunks.made_at)";
  return store.rows<ChunkRow>(
    `select ${chunkFacts}, ${version} as version, ${rows} where ${conditions.join(' and ')} order by ${key} ${order}`,
    values,
  );
}

/** SQLite has the links of a chunk by the chunk: for each of the organization's it looks whether the link is there. */
const byChunk = 'hit_chunks as chunks cross join hit_chunk_links as links on links.chunk_id = chunks.id';
const byLink = 'hit_chunk_links as links join hit_chunks as chunks on chunks.id = links.chunk_id';

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
