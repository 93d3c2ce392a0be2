import { sql } from 'kysely';
import type { Queries } from '../storage/schema.ts';

const hoursPerDay = 24;

/** Clicks by link and UTC day (days since the epoch), from a day on. One stretch of the primary key for each link. */
export async function clicksByDay(
  queries: Queries,
  linkIds: readonly number[],
  firstDay: number,
): Promise<readonly { readonly link_id: number; readonly day: number; readonly clicks: number }[]> {
  if (linkIds.length === 0) return [];
  const day = sql<number>`hour / ${sql.lit(hoursPerDay)}`;
  return queries
    .selectFrom('link_hours')
    .select(['link_id', day.as('day'), (summed) => summed.fn.sum<number>('click').as('clicks')])
    .where('link_id', 'in', linkIds)
    .where('hour', '>=', firstDay * hoursPerDay)
    .groupBy(['link_id', day])
    .execute();
}
