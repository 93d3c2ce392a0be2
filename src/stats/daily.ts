import { sql } from 'kysely';
import { dayOf, hoursPerDay } from '../rules/utc-time.ts';
import type { Queries } from '../storage/schema.ts';

/** The clicks of each link in the last `days` UTC days, oldest first and today last. */
export async function dailyClicks(
  queries: Queries,
  linkIds: readonly number[],
  days: number,
  now: number,
): Promise<ReadonlyMap<number, number[]>> {
  const firstDay = dayOf(now) - days + 1;
  const found = new Map(linkIds.map((id) => [id, Array<number>(days).fill(0)]));
  for (const row of await clicksByDay(queries, linkIds, firstDay)) {
    const counts = found.get(row.link_id);
    // A hit with a clock ahead of ours counts as today's.
    const day = Math.min(row.day - firstDay, days - 1);
    if (counts) counts[day] = (counts[day] ?? 0) + row.clicks;
  }
  return found;
}

/** Reads one range of the primary key for each link. Days are counted from the epoch. */
async function clicksByDay(queries: Queries, linkIds: readonly number[], firstDay: number) {
  if (linkIds.length === 0) return [];
  const day = sql<number>`hour / ${sql.lit(hoursPerDay)}`;
  return queries
    .selectFrom('link_hours')
    .select(['link_id', day.as('day'), (builder) => builder.fn.sum<number>('click').as('clicks')])
    .where('link_id', 'in', linkIds)
    .where('hour', '>=', firstDay * hoursPerDay)
    .groupBy(['link_id', day])
    .execute();
}
