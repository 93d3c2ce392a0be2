import type { Queries } from '../storage/schema.ts';
import { clicksByDay } from './daily-clicks.ts';

const dayLength = 24 * 60 * 60 * 1000;

/** The clicks of each link in the last so many UTC days, the oldest first and today last. */
export async function dailyClicks(
  queries: Queries,
  linkIds: readonly number[],
  days: number,
  now: number,
): Promise<ReadonlyMap<number, number[]>> {
  const firstDay = Math.floor(now / dayLength) - days + 1;
  const found = new Map(linkIds.map((id) => [id, Array<number>(days).fill(0)]));
  for (const row of await clicksByDay(queries, linkIds, firstDay)) {
    const counts = found.get(row.link_id);
    const place = row.day - firstDay;
    // A hit from a clock that runs ahead of ours counts as today's.
    if (counts) counts[Math.min(place, days - 1)] = (counts[Math.min(place, days - 1)] ?? 0) + row.clicks;
  }
  return found;
}
