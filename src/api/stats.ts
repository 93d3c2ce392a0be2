import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import { formatIso } from '../rules/instant.ts';
import { type StatsRange, statsRange } from '../stats/range.ts';
import { type Stats as Found, type Owner, readStats } from '../stats/stats.ts';
import { chosenOwner, linkOwner } from './click-owner.ts';
import { endpoint } from './endpoint.ts';
import { actualRawSince, rawSince } from './raw-since.ts';
import { linkPath } from './schemas/parts.ts';
import { OrganizationStatsQuery, Stats, StatsQuery } from './schemas/stats.ts';

const outline = {
  description:
    'Clicks are people who were redirected; everything else is under `not_counted`. Filters can be combined; the result is then counted from raw hits.',
  heavy: true,
  query: StatsQuery,
  statuses: { 200: 'The numbers.' },
  answer: Stats,
} as const;

export const ofLink = endpoint({
  ...outline,
  summary: 'Statistics of one link',
  params: linkPath,
  handle: async ({ caller, params, query }, context) =>
    answerFor(await linkOwner(context, caller, params.id), query, context),
});

export const ofOrganization = endpoint({
  ...outline,
  summary: 'Statistics of all links, or of some',
  query: OrganizationStatsQuery,
  handle: async ({ caller, query: { tag, domain, ids, ...query } }, context) =>
    answerFor(await chosenOwner(context, caller, { tag, domain, ids }), query, context),
});

async function answerFor(owner: Owner, query: z.output<typeof StatsQuery>, context: Context) {
  const { from, to, interval, timezone, group_by: groupBy, ...filters } = query;
  const now = context.now();
  const range = statsRange({ from, to, interval, timezone }, now);
  const question = { owner, range, filters, groupBy, rawSince: rawSince(context) };
  const found = await readStats(context.database, question);
  return statsAnswer(range, found, await actualRawSince(context));
}

const statsAnswer = (range: StatsRange, found: Found, since: number): z.input<typeof Stats> => ({
  from: formatIso(range.from),
  to: formatIso(range.to),
  interval: range.interval,
  timezone: range.timezone,
  from_raw: found.fromRaw,
  raw_since: formatIso(since),
  visitors_are: found.visitorsAre,
  rule_changes: [...found.ruleChanges],
  totals: { clicks: found.clicks, visitors: found.visitors, not_counted: found.notCounted },
  series: found.series.map(({ notCounted, ...point }) => ({ ...point, not_counted: notCounted })),
  groups: found.groups?.map(({ notCounted, ...group }) => ({ ...group, not_counted: notCounted })) ?? null,
  other: found.other && { clicks: found.other.clicks, not_counted: found.other.notCounted },
});
