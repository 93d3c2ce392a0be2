import { sql } from 'kysely';
import { dimensionCodes, rollupClassCodes } from '../../rules/click-fields.ts';
import { hoursPerDay } from '../../rules/utc-time.ts';
import type { Queries } from '../../storage/schema.ts';

const { click } = rollupClassCodes;
const { total, visitors: ofVisitors } = dimensionCodes;

interface LostClicks {
  readonly organization: number;
  readonly hour: number;
  readonly clicks: number;
}

interface Hour {
  readonly hour: number;
  readonly visitors: number;
  readonly clicks: number;
}

/**
 * Lowers an organization's visitors where it has lost clicks: an hour or a day with at most as many visitors as clicks stays that
 * way. Visitors counted by an older rule are stored under the first hour of their day.
 */
export async function boundVisitors(queries: Queries, lost: readonly LostClicks[]): Promise<void> {
  const byOrganization = Map.groupBy(lost, ({ organization }) => organization);
  for (const [organization, some] of byOrganization) {
    const days = Map.groupBy(some, ({ hour }) => Math.floor(hour / hoursPerDay));
    for (const [day, hours] of days) await boundDay(queries, organization, day, hours);
  }
}

async function boundDay(
  queries: Queries,
  organization: number,
  day: number,
  lost: readonly LostClicks[],
): Promise<void> {
  const hours = await hoursOf(queries, organization, day);
  const lostIn = new Map(lost.map(({ hour, clicks }) => [hour, clicks]));
  const bounded = hours.map((hour) => ({
    ...hour,
    visitors: boundedVisitors(hour, lostIn.get(hour.hour) ?? 0),
  }));
  const sum = (of: (hour: Hour) => number) => bounded.reduce((total, hour) => total + of(hour), 0);
  const clicks = sum((hour) => hour.clicks);
  const lostToday = lost.reduce((total, hour) => total + hour.clicks, 0);
  const tooMany =
    sum((hour) => hour.visitors) -
    boundedVisitors({ visitors: sum((hour) => hour.visitors), clicks }, lostToday);
  await storeLowered(queries, organization, bounded, tooMany, hours);
}

/** What became of an organization's visitors of a day when some of a link's were erased. */
export interface ErasedVisitors {
  /** Those who came to no other link, and are erased from the organization too. */
  readonly lost: number;
  /** Those who came to other links as well. */
  readonly kept: number;
  /** All visitors that the organization has afterwards. */
  readonly left: number;
}

/**
 * Sets an organization's visitors of a day to the number of those who are left. The clicks of the erased ones are erased already, and
 * `boundVisitors` has lowered the visitors of their hours: by up to all erased ones, including those who came again to other links, or
 * by none if others clicked often enough. Which hours they were counted in is not stored.
 */
export async function setDayVisitors(
  queries: Queries,
  organization: number,
  day: number,
  { lost, kept, left }: ErasedVisitors,
): Promise<void> {
  const hours = await hoursOf(queries, organization, day);
  const visitors = hours.reduce((sum, hour) => sum + hour.visitors, 0);
  // By no more than what was erased: after other corrections, the set of visitors has more than are counted.
  const exact = Math.min(Math.max(left, visitors - lost), visitors + kept);
  await storeLowered(queries, organization, hours, Math.max(0, visitors - exact));
  let missing = Math.max(0, exact - visitors);
  for (const { hour, clicks, visitors: counted } of hours) {
    const added = Math.min(missing, Math.max(0, clicks - counted));
    if (added > 0) await setVisitors(queries, organization, hour, counted + added);
    missing -= added;
  }
}

/** Stores the hours of a day without some of their visitors. `before`: the hours as they are stored. */
async function storeLowered(
  queries: Queries,
  organization: number,
  hours: readonly Hour[],
  tooMany: number,
  before = hours,
): Promise<void> {
  let rest = tooMany;
  for (const [index, { hour, visitors }] of hours.entries()) {
    const lowered = Math.max(0, visitors - rest);
    rest -= visitors - lowered;
    if (lowered !== before[index]?.visitors) await setVisitors(queries, organization, hour, lowered);
  }
}

/** The number of visitors after the loss: at most the number of clicks, if that was so before. */
const boundedVisitors = ({ visitors, clicks }: Pick<Hour, 'visitors' | 'clicks'>, lost: number): number =>
  visitors <= clicks + lost ? Math.min(visitors, clicks) : visitors;

async function hoursOf(queries: Queries, organization: number, day: number): Promise<readonly Hour[]> {
  const rows = await queries
    .selectFrom('organization_rollups')
    .select(['hour', 'dimension', 'hits'])
    .where('organization_id', '=', organization)
    .where('dimension', 'in', [total, ofVisitors])
    .where('hour', '>=', day * hoursPerDay)
    .where('hour', '<', (day + 1) * hoursPerDay)
    .where('class', '=', click)
    .orderBy('hour')
    .execute();
  return [...Map.groupBy(rows, ({ hour }) => hour)].map(([hour, found]) => ({
    hour,
    clicks: found.find(({ dimension }) => dimension === total)?.hits ?? 0,
    visitors: found.find(({ dimension }) => dimension === ofVisitors)?.hits ?? 0,
  }));
}

async function setVisitors(
  queries: Queries,
  organization: number,
  hour: number,
  visitors: number,
): Promise<void> {
  await (visitors === 0
    ? sql`delete from organization_rollups where organization_id = ${organization}
        and dimension = ${ofVisitors} and hour = ${hour} and class = ${click} and value = 0`
    : sql`insert into organization_rollups (organization_id, dimension, hour, class, value, hits)
        values (${organization}, ${ofVisitors}, ${hour}, ${click}, 0, ${visitors})
        on conflict (organization_id, dimension, hour, class, value) do update set hits = excluded.hits`
  ).execute(queries);
}
