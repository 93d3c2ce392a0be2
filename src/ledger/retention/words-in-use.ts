import { type Selectable, sql } from 'kysely';
import { dimensionCodes, eachField, wordDimensions, wordFields } from '../../rules/click-fields.ts';
import type { Database } from '../../storage/database.ts';
import { dialects } from '../../storage/dialect.ts';
import type { Queries, Schema } from '../../storage/schema.ts';
import { BitSet } from '../../structures/bit-set.ts';
import { readCoded } from '../chunks/chunk-column.ts';
import { columnKey } from '../chunks/hit-chunk.ts';
import { eachCount } from '../counts/hour-counts.ts';
import { externalHits } from '../external-hits.ts';
import { HitPack } from '../packs/hit-pack.ts';

const rowsAtOnce = 2_048;
const packsAtOnce = 16;

const codesOfWords: ReadonlySet<number> = new Set(wordDimensions.map((name) => dimensionCodes[name]));

/** The key after which a scan continues: empty at its beginning, null at its end. */
type Key = readonly number[] | null;
type Use = (id: number) => void;
type Scan = (queries: Queries, after: readonly number[], use: Use) => Promise<Key>;

/** Reads some rows of a table, in the order of a key of numbers. */
const scanOf =
  <Table extends keyof Schema>(
    table: Table,
    key: readonly (string & keyof Schema[Table])[],
    columns: readonly (string & keyof Schema[Table])[],
    atOnce: number,
    eachWordIn: (row: Selectable<Schema[Table]>, use: Use) => void,
  ): Scan =>
  async (queries, after, use) => {
    const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
    const { rows } = await sql<Selectable<Schema[Table]>>`
      select ${refs([...key, ...columns])} from ${sql.table(table)}
      where (${refs(key)}) > (${sql.join(key.map((_, index) => after[index] ?? -1))})
      order by ${refs(key)} limit ${atOnce}`.execute(queries);
    for (const row of rows) eachWordIn(row, use);
    const last = rows.at(-1) as Readonly<Record<string, number>> | undefined;
    return last === undefined || rows.length < atOnce ? null : key.map((name) => last[name] ?? 0);
  };

const ofPacks = scanOf('hit_packs', ['organization_id', 'id'], ['hits', 'cells'], packsAtOnce, (row, use) => {
  const pack = new HitPack(row);
  for (const field of wordFields) for (const word of pack.column(field)) use(word);
});

const ofRows = scanOf('hits', ['organization_id', 'id'], wordFields, rowsAtOnce, (row, use) => {
  for (const field of wordFields) use(row[field]);
});

const ofHours = scanOf('link_hours', ['link_id', 'hour'], ['counts'], rowsAtOnce, ({ counts }, use) =>
  eachCount(counts, (dimension, value) => {
    if (codesOfWords.has(dimension)) use(value);
  }),
);

const rollupKey = ['organization_id', 'dimension', 'hour', 'class', 'value'] as const;
const ofRollups = scanOf('organization_rollups', rollupKey, [], rowsAtOnce, ({ dimension, value }, use) => {
  if (codesOfWords.has(dimension)) use(value);
});

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

/**
 * The words that the ledger and the roll-ups refer to, found in small steps. Hits move meanwhile: from packs into rows, when some
 * are erased, and from both into chunks. So they are searched in that order, and none is missed.
 */
export async function wordsInUse(
  { kind, read, hits }: Pick<Database, 'kind' | 'read' | 'hits'>,
  between: () => Promise<boolean>,
): Promise<BitSet | null> {
  const used = new BitSet();
  const use: Use = (id) => used.add(id);
  await externalHits({ hits })?.eachWord(use);
  // On PostgreSQL the hits in chunks are in packs or rows as well.
  const scans = [
    ofPacks,
    ofRows,
    ...(dialects[kind].chunksReplaceRows ? [ofChunks] : []),
    ofHours,
    ofRollups,
  ];
  for (const scan of scans) {
    for (let after: Key = []; after !== null; ) {
      if (!(await between())) return null;
      after = await scan(read, after, use);
    }
  }
  return used;
}
