import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** Enough rows that parallel creations in one organization seldom meet on the same one. */
export const countShards = 16;

/** `shard` is any whole number; it only has to differ between callers. */
export async function addToLinkCount(
  queries: Queries,
  organizationId: number,
  shard: number,
  difference: number,
): Promise<void> {
  await queries
    .insertInto('link_counts')
    .values({ organization_id: organizationId, shard: shard % countShards, links: difference })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'shard'])
        .doUpdateSet({ links: sql<number>`link_counts.links + ${difference}` }),
    )
    .execute();
}

export async function linkCount(queries: Queries, organizationId: number): Promise<number> {
  const row = await queries
    .selectFrom('link_counts')
    .select((summed) => summed.fn.sum<number | null>('links').as('links'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return Number(row?.links ?? 0);
}
