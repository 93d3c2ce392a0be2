import { sql } from 'kysely';
import { sumOf } from './rows.ts';
import type { Queries } from './schema.ts';

/** Enough rows that parallel creations with one tag rarely update the same one, and few enough to add up. */
const tagShards = 4;

/** `shard` is any integer; it only has to differ between callers. */
export async function addToTagCounts(
  queries: Queries,
  shard: number,
  differences: ReadonlyMap<number, number>,
): Promise<void> {
  // Always in the same order, so that two transactions on the same tags don't deadlock.
  const rows = [...differences]
    .filter(([, links]) => links !== 0)
    .sort(([one], [other]) => one - other)
    .map(([tag_id, links]) => ({ tag_id, shard: shard % tagShards, links }));
  if (rows.length === 0) return;
  await queries
    .insertInto('tag_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['tag_id', 'shard'])
        .doUpdateSet({ links: sql<number>`tag_counts.links + excluded.links` }),
    )
    .execute();
}

/** How many of these rows there are for each tag. */
export function perTag(rows: readonly { readonly tag_id: number }[], each = 1): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { tag_id } of rows) counts.set(tag_id, (counts.get(tag_id) ?? 0) + each);
  return counts;
}

/** By tag, without tags that no link has. */
export async function tagCounts(
  queries: Queries,
  organizationId: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await queries
    .selectFrom('tags')
    .innerJoin('tag_counts', 'tag_counts.tag_id', 'tags.id')
    .select(['tag_counts.tag_id', (summed) => summed.fn.sum<number>('tag_counts.links').as('links')])
    .where('tags.organization_id', '=', organizationId)
    .groupBy('tag_counts.tag_id')
    .execute();
  return new Map(rows.map(({ tag_id, links }) => [tag_id, links]));
}

export const tagCount = (queries: Queries, tagId: number): Promise<number> =>
  sumOf(queries.selectFrom('tag_counts').where('tag_id', '=', tagId), 'links');
