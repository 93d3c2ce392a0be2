import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { hitColumns } from '../../rules/click-fields.ts';
import { chunkOf } from './hit-chunk.ts';
import { insertionsOfChunk } from './sqlite-chunk-rows.ts';
import { BatchPart } from './stored-columns.ts';

/** One more than a statement of each size takes. */
const linkCount = 2 * (1_024 + 128 + 16 + 1) + 1;

test('a chunk has one row for each of its links, however many they are', () => {
  const links = Array.from({ length: linkCount }, (_, index) => 1_000_000 * index + 7);
  const hitLinks = links.flatMap((link, index) => Array<number>(1 + (index % 3)).fill(link));
  const columns = hitColumns.map((name) =>
    Float64Array.from(hitLinks, (link) => (name === 'link_id' ? link : 1)),
  );
  const chunk = chunkOf(new BatchPart(columns, null, { from: 0, to: hitLinks.length }, 1));
  using database = new Database();
  database.run(`create table hit_chunk_links (chunk_id integer not null, link_id integer not null, first_row integer not null,
    end_row integer not null, primary key (chunk_id, link_id)) without rowid`);
  for (const { sql, parameters } of insertionsOfChunk(5, chunk))
    if (sql.includes('hit_chunk_links')) database.query(sql).run(...parameters);
  const rows = database.query('select * from hit_chunk_links order by link_id').values();
  expect(rows).toEqual(
    links.map((link) => [5, link, hitLinks.indexOf(link), hitLinks.lastIndexOf(link) + 1]),
  );
});
