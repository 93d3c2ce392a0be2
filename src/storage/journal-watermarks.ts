import type { Queries } from './schema.ts';

interface Watermark {
  readonly segment: number;
  readonly offset: number;
}

/** How far the journals of this node are folded, by their keys. */
export async function watermarksOf(queries: Queries, node: string): Promise<Map<string, Watermark>> {
  const rows = await queries
    .selectFrom('journal_watermarks')
    .select(['node', 'segment', 'byte_offset'])
    .where('node', '>', `${node}/`)
    .where('node', '<', `${node}0`)
    .execute();
  return new Map(rows.map(({ node, segment, byte_offset }) => [node, { segment, offset: byte_offset }]));
}

/** Those of all nodes, including those of deleted journals. */
export async function allWatermarks(
  queries: Queries,
): Promise<readonly (Watermark & { readonly journal: string })[]> {
  const rows = await queries
    .selectFrom('journal_watermarks')
    .select(['node', 'segment', 'byte_offset'])
    .execute();
  return rows.map(({ node, segment, byte_offset }) => ({ journal: node, segment, offset: byte_offset }));
}

/** Reads and locks watermarks on PostgreSQL: none of them changes until the transaction ends. */
export async function lockWatermarks(
  queries: Queries,
  journals: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Watermark>> {
  if (journals.size === 0) return new Map();
  const rows = await queries
    .selectFrom('journal_watermarks')
    .select(['node', 'segment', 'byte_offset'])
    .where('node', 'in', [...journals])
    .orderBy('node')
    .forShare()
    .execute();
  return new Map(rows.map(({ node, segment, byte_offset }) => [node, { segment, offset: byte_offset }]));
}
