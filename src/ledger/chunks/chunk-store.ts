import type { JobParameters } from '../../storage/database.ts';
import { type ChunkColumn, columnKey } from './hit-chunk.ts';

/** The cells of chunks, for a `ChunkScan`. */
export interface ChunkCells {
  /** Undefined if the chunk doesn't have the column. */
  column(chunk: number, column: ChunkColumn): Uint8Array | undefined;
  tally(chunk: number, column: ChunkColumn): Uint8Array | undefined;
}

/** The cells of a SQLite store, read in this thread, column by column when needed. */
export function cellsInSqlite(
  rows: <Row>(sql: string, parameters: JobParameters) => readonly Row[],
): ChunkCells {
  const cells = (sql: string, chunk: number, column: ChunkColumn) =>
    rows<{ cells: Uint8Array }>(sql, [columnKey(chunk, column)])[0]?.cells;
  return {
    column: (chunk, column) => cells('select cells from hit_chunk_columns where key = ?', chunk, column),
    tally: (chunk, column) => cells('select cells from hit_chunk_tallies where key = ?', chunk, column),
  };
}

/** Cells in memory, by key. */
export function columnsInMemory(
  columns: Iterable<{ readonly key: number; readonly cells: Uint8Array }>,
): ChunkCells {
  const byKey = new Map(Array.from(columns, ({ key, cells }) => [key, cells]));
  return { column: (chunk, column) => byKey.get(columnKey(chunk, column)), tally: () => undefined };
}
