import { columnKey, endOfKeys, type NewChunk } from './hit-chunk.ts';

/**
 * A statement for a SQLite store: the fold runs it in its own thread and connection, corrections in those of the store's other
 * changes.
 */
interface ChunkStatement {
  readonly sql: string;
  readonly parameters: readonly (number | string | Uint8Array)[];
}

/** Inserts what a chunk consists of, except for its row in `hit_chunks`. */
export function insertionsOfChunk(id: number, { columns, tallies, links }: NewChunk): ChunkStatement[] {
  const rows = JSON.stringify(links.map(({ link, first, end }) => [link, first, end]));
  const insertions = (table: string, some: NewChunk['columns']) =>
    some.map(({ column, cells }) => ({
      sql: `insert into ${table} (key, cells) values (?, ?)`,
      parameters: [columnKey(id, column), cells],
    }));
  return [
    ...insertions('hit_chunk_columns', columns),
    ...insertions('hit_chunk_tallies', tallies),
    {
      sql: `insert into hit_chunk_links (chunk_id, link_id, first_row, end_row)
        select ?, value ->> 0, value ->> 1, value ->> 2 from json_each(?)`,
      parameters: [id, rows],
    },
  ];
}

/** Deletes a chunk with all that it consists of. */
export function deletionsOfChunk(id: number): ChunkStatement[] {
  const keys = [columnKey(id, 'id'), endOfKeys(id)];
  return [
    { sql: 'delete from hit_chunk_links where chunk_id = ?', parameters: [id] },
    { sql: 'delete from hit_chunk_columns where key >= ? and key < ?', parameters: keys },
    { sql: 'delete from hit_chunk_tallies where key >= ? and key < ?', parameters: keys },
    { sql: 'delete from hit_chunks where id = ?', parameters: [id] },
  ];
}
