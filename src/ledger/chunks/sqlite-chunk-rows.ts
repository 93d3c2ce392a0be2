import { columnKey, endOfKeys, type LinkRows, type NewChunk } from './hit-chunk.ts';

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
  const insertions = (table: string, some: NewChunk['columns']) =>
    some.map(({ column, cells }) => ({
      sql: `insert into ${table} (key, cells) values (?, ?)`,
      parameters: [columnKey(id, column), cells],
    }));
  return [
    ...insertions('hit_chunk_columns', columns),
    ...insertions('hit_chunk_tallies', tallies),
    ...insertionsOfLinks(id, links),
  ];
}

/** Many rows per statement, in a third of the time of one statement with all of them as JSON. */
const linksPerStatement = [1_024, 128, 16, 1] as const;
const linkInsertions = linksPerStatement.map((rows) => {
  const row = (_: unknown, index: number) => `(?1, ?${index * 3 + 2}, ?${index * 3 + 3}, ?${index * 3 + 4})`;
  return `insert into hit_chunk_links (chunk_id, link_id, first_row, end_row)
    values ${Array.from({ length: rows }, row).join(', ')}`;
});

function insertionsOfLinks(id: number, links: readonly LinkRows[]): ChunkStatement[] {
  const statements: ChunkStatement[] = [];
  let from = 0;
  for (const [index, rows] of linksPerStatement.entries()) {
    for (; from + rows <= links.length; from += rows) {
      const some = links.slice(from, from + rows).flatMap(({ link, first, end }) => [link, first, end]);
      statements.push({ sql: linkInsertions[index] ?? '', parameters: [id, ...some] });
    }
  }
  return statements;
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
