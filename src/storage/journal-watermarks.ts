import type { Queries, Schema } from './schema.ts';

interface Watermark {
  readonly segment: number;
  readonly offset: number;
}

type WatermarkRow = Pick<Schema['journal_watermarks'], 'node' | 'segment' | 'byte_offset'>;

const selectWatermarks = (queries: Queries) =>
  queries.selectFrom('journal_watermarks').select(['node', 'segment', 'byte_offset']);

/** By the keys of their journals. */
const byJournal = (rows: readonly WatermarkRow[]): Map<string, Watermark> =>
  new Map(rows.map(({ node, segment, byte_offset }) => [node, { segment, offset: byte_offset }]));

/** How far the journals of this node are folded, by their keys. */
export async function watermarksOf(queries: Queries, node: string): Promise<Map<string, Watermark>> {
  const ofNode = selectWatermarks(queries).where('node', '>', `${node}/`).where('node', '<', `${node}0`);
  return byJournal(await ofNode.execute());
}

/** Those of all nodes, including those of deleted journals. */
export async function allWatermarks(
  queries: Queries,
): Promise<readonly (Watermark & { readonly journal: string })[]> {
  const rows = await selectWatermarks(queries).execute();
  return rows.map(({ node, segment, byte_offset }) => ({ journal: node, segment, offset: byte_offset }));
}

/** Reads and locks watermarks on PostgreSQL: none of them changes until the transaction ends. */
export async function lockWatermarks(
  queries: Queries,
  journals: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Watermark>> {
  if (journals.size === 0) return new Map();
  const wanted = selectWatermarks(queries).where('node', 'in', [...journals]);
  return byJournal(await wanted.orderBy('node').forShare().execute());
}
