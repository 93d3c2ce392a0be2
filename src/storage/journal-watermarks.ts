import type { Queries } from './schema.ts';

/** How far a journal has been counted. */
export interface Watermark {
  readonly journal: string;
  readonly segment: number;
  readonly offset: number;
}

type Position = Omit<Watermark, 'journal'>;

const selectWatermarks = (queries: Queries) =>
  queries.selectFrom('journal_watermarks').select(['node as journal', 'segment', 'byte_offset as offset']);

/** By the keys of their journals. */
const byJournal = (rows: readonly Watermark[]): Map<string, Position> =>
  new Map(rows.map(({ journal, ...watermark }) => [journal, watermark]));

/** How far the journals of this node are folded, by their keys. */
export async function watermarksOf(queries: Queries, node: string): Promise<Map<string, Position>> {
  const ofNode = selectWatermarks(queries).where('node', '>', `${node}/`).where('node', '<', `${node}0`);
  return byJournal(await ofNode.execute());
}

/** Those of all nodes, including those of deleted journals. */
export const allWatermarks = (queries: Queries): Promise<readonly Watermark[]> =>
  selectWatermarks(queries).execute();

/** Reads and locks watermarks on PostgreSQL: none of them changes until the transaction ends. */
export async function lockWatermarks(
  queries: Queries,
  journals: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Position>> {
  if (journals.size === 0) return new Map();
  const wanted = selectWatermarks(queries).where('node', 'in', [...journals]);
  return byJournal(await wanted.orderBy('node').forShare().execute());
}
