import { sql } from 'kysely';
import { dayLength } from '../../rules/durations.ts';
import { hoursPerDay } from '../../rules/utc-time.ts';
import { dialectOf } from '../../storage/dialect.ts';
import { sumOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import { type ErasedVisitors, setDayVisitors } from './bound-visitors.ts';

/** Days since the epoch; `to` is exclusive. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

/**
 * The days that are erased completely. A day that had not ended when the correction was requested is complete if the scope
 * reaches up to that instant.
 */
export const wholeDays = ({ from, to }: CorrectionScope, requestedAt: number): Days => ({
  from: from === null ? 0 : Math.ceil(from / dayLength),
  to: to >= requestedAt ? Math.ceil(to / dayLength) : Math.floor(to / dayLength),
});

/** Until this transaction ends, no visitors of these days are counted. */
export async function lockVisitorDays(queries: Queries, days: Days): Promise<void> {
  if (!dialectOf(queries).partitions) return;
  await sql`select from visitor_days where day >= ${days.from} and day < ${days.to}
    order by day for no key update`.execute(queries);
}

/**
 * Corrects the visitors that an organization has counted on a day, after a link's were erased. Those who came to the link while its
 * clicks were being erased are erased as well, but their clicks stay, and the link counts them.
 */
export async function correctOrganizationVisitors(
  queries: Queries,
  organization: number,
  link: number,
  day: number,
  erased: ErasedVisitors,
): Promise<void> {
  const ofLink = queries
    .selectFrom('link_hours')
    .where('link_id', '=', link)
    .where('hour', '>=', day * hoursPerDay)
    .where('hour', '<', (day + 1) * hoursPerDay);
  const left = erased.left + (await sumOf(ofLink, 'visitors'));
  await setDayVisitors(queries, organization, day, { ...erased, left });
}
