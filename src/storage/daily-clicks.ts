import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** What is added up: the clicks among the roll-ups. */
export interface ClickSlice {
  readonly dimension: number;
  readonly class: number;
}

const hoursPerDay = 24;

/** Clicks by link and UTC day (days since the epoch), from a day on. One stretch of the primary key for each link. */
export async function clicksByDay(
  queries: Queries,
  linkIds: readonly number[],
  { dimension, class: clickClass }: ClickSlice,
  firstDay: number,
): Promise<readonly { readonly link_id: number; readonly day: number; readonly clicks: number }[]> {
  if (linkIds.length === 0) return [];
  const day = sql<number>`hour / ${sql.lit(hoursPerDay)}`;
  return queries
    .selectFrom('link_rollups')
    .select(['link_id', day.as('day'), (summed) => summed.fn.sum<number>('hits').as('clicks')])
    .where('link_id', 'in', linkIds)
    .where('dimension', '=', dimension)
    .where('hour', '>=', firstDay * hoursPerDay)
    .where('class', '=', clickClass)
    .groupBy(['link_id', day])
    .execute();
}
