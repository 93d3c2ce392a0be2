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
  let tooMany =
    sum((hour) => hour.visitors) -
    boundedVisitors({ visitors: sum((hour) => hour.visitors), clicks }, lostToday);
  for (const [index, hour] of bounded.entries()) {
    const visitors = Math.max(0, hour.visitors - tooMany);
    tooMany -= hour.visitors - visitors;
    if (visitors !== hours[index]?.visitors) await setVisitors(queries, organization, hour.hour, visitors);
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
  const row = sql`organization_id = ${organization} and dimension = ${ofVisitors} and hour = ${hour}
    and class = ${click} and value = 0`;
  await (visitors === 0
    ? sql`delete from organization_rollups where ${row}`
    : sql`update organization_rollups set hits = ${visitors} where ${row}`
  ).execute(queries);
}
