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
