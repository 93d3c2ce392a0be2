import type { z } from 'zod';
import { chosenLinks } from '../manage/chosen-links.ts';
import type { Context } from '../manage/context.ts';
import { readLink } from '../manage/read-links.ts';
import { formatIso } from '../rules/instant.ts';
import { type StatsRange, statsRange } from '../stats/range.ts';
import { type Stats as Found, type Owner, readStats } from '../stats/stats.ts';
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
  async handle({ caller, params, query }, context) {
    const { link } = await readLink(context, caller, params.id);
    return answerFor({ kind: 'link', id: link.id, organizationId: caller.organizationId }, query, context);
  },
});

export const ofOrganization = endpoint({
  ...outline,
  summary: 'Statistics of all links, or of some',
  query: OrganizationStatsQuery,
  async handle({ caller, query: { tag: tagIds, domain, ids, ...query } }, context) {
    const links = await chosenLinks(context, caller, { tagIds, domain: domain || undefined, ids });
    return answerFor({ kind: 'organization', id: caller.organizationId, links }, query, context);
  },
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
