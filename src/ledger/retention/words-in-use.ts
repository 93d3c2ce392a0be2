import { sql } from 'kysely';
import {
  dimensionCodes,
  eachField,
  type WordField,
  wordDimensions,
  wordFields,
} from '../../rules/click-fields.ts';
import type { Database } from '../../storage/database.ts';
import { dialects } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import { BitSet } from '../../structures/bit-set.ts';
import { readCoded } from '../chunks/chunk-column.ts';
import { columnKey } from '../chunks/hit-chunk.ts';
import { eachCount } from '../counts/hour-counts.ts';
import { externalHits } from '../external-hits.ts';
import { HitPack } from '../packs/hit-pack.ts';

const rowsAtOnce = 2_048;
const packsAtOnce = 16;

const codesOfWords: ReadonlySet<number> = new Set(wordDimensions.map((name) => dimensionCodes[name]));

/** The key after which a scan continues; null at its end. */
type Key = readonly number[] | null;
type Scan = (queries: Queries, after: readonly number[], use: (id: number) => void) => Promise<Key>;

/**
 * The words that the ledger and the roll-ups refer to, found in small steps. Hits move meanwhile: from packs into rows, when some
 * are erased, and from both into chunks. So they are searched in that order, and none is missed.
 */
export async function wordsInUse(
  { kind, read, hits }: Pick<Database, 'kind' | 'read' | 'hits'>,
  between: () => Promise<boolean>,
): Promise<BitSet | null> {
  const used = new BitSet();
  const use = (id: number) => used.add(id);
  await externalHits({ hits })?.eachWord(use);
  // On PostgreSQL the hits in chunks are in packs or rows as well.
  const scans = [ofPacks, ofRows, ...(dialects[kind].chunksHits ? [ofChunks] : []), ofHours, ofRollups];
  for (const scan of scans) {
    for (let after: Key = [-1, -1, -1, -1, -1]; after !== null; ) {
      if (!(await between())) return null;
      after = await scan(read, after, use);
    }
  }
  return used;
}

const ofPacks: Scan = async (queries, [organization = 0, id = 0], use) => {
  const { rows } = await sql<{ organization_id: number; id: number; hits: number; cells: Uint8Array }>`
    select organization_id, id, hits, cells from hit_packs
    where (organization_id, id) > (${organization}, ${id})
    order by organization_id, id limit ${packsAtOnce}`.execute(queries);
  for (const row of rows) {
    const pack = new HitPack(row);
    for (const field of wordFields) for (const word of pack.column(field)) use(word);
  }
  return keyAfter(rows, packsAtOnce, (row) => [row.organization_id, row.id]);
};

const ofRows: Scan = async (queries, [organization = 0, id = 0], use) => {
  const { rows } = await sql<Record<WordField | 'organization_id' | 'id', number>>`
    select organization_id, id, ${sql.join(wordFields.map((field) => sql.ref(field)))} from hits
    where (organization_id, id) > (${organization}, ${id})
    order by organization_id, id limit ${rowsAtOnce}`.execute(queries);
  for (const row of rows) for (const field of wordFields) use(row[field]);
  return keyAfter(rows, rowsAtOnce, (row) => [row.organization_id, row.id]);
};

const ofChunks: Scan = async (queries, [after = 0], use) => {
  const chunk = await queries
    .selectFrom('hit_chunks')
    .select(['id', 'hits'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (chunk === undefined) return null;
  const keys = Object.values(eachField(wordFields, (field) => columnKey(chunk.id, field)));
  const columns = await queries
    .selectFrom('hit_chunk_columns')
    .select('cells')
    .where('key', 'in', keys)
    .execute();
  for (const { cells } of columns) for (const word of readCoded(cells, 0).values) use(word);
  return [chunk.id];
};

const ofHours: Scan = async (queries, [link = 0, hour = 0], use) => {
  const { rows } = await sql<{ link_id: number; hour: number; counts: string }>`
    select link_id, hour, counts from link_hours where (link_id, hour) > (${link}, ${hour})
    order by link_id, hour limit ${rowsAtOnce}`.execute(queries);
  for (const { counts } of rows)
    eachCount(counts, (dimension, value) => {
      if (codesOfWords.has(dimension)) use(value);
    });
  return keyAfter(rows, rowsAtOnce, (row) => [row.link_id, row.hour]);
};

const rollupKey = ['organization_id', 'dimension', 'hour', 'class', 'value'] as const;

const ofRollups: Scan = async (queries, after, use) => {
  const columns = sql.join(rollupKey.map((column) => sql.ref(column)));
  const { rows } = await sql<Record<(typeof rollupKey)[number], number>>`
    select ${columns} from organization_rollups where (${columns}) > (${sql.join(after)})
    order by ${columns} limit ${rowsAtOnce}`.execute(queries);
  for (const { dimension, value } of rows) if (codesOfWords.has(dimension)) use(value);
  return keyAfter(rows, rowsAtOnce, (row) => rollupKey.map((column) => row[column]));
};

function keyAfter<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => readonly number[]): Key {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? null : keyOf(last);
}
