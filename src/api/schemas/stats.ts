import { z } from 'zod';
import { clickDimensions, devices, eachField, rollupClasses, sources } from '../../rules/click-fields.ts';
import { intervals } from '../../stats/buckets.ts';
import { type Grouping, groupings } from '../../stats/plan.ts';
import { idList, maxPerPage } from './link.ts';
import { component, isoInstant, text, textOrNull } from './parts.ts';

const count = z.int();

export const rawSinceField = isoInstant.describe(
  'Since when individual hits are kept. Older ones are only in totals.',
);

const [, ...uncountedClasses] = rollupClasses;

const Uncounted = z
  .object(eachField(uncountedClasses, () => count))
  .describe(
    'Hits that are no clicks. `page`: a person who was not redirected. `flood`: more from one network than any crowd would make.',
  );

const Point = z.object({
  start: z.string().describe("The beginning of the bucket, with the timezone's offset at that time."),
  clicks: count,
  visitors: count
    .nullable()
    .describe(
      'Never more than clicks. Null if a filter is set, and for an hour from before these were counted.',
    ),
  not_counted: count.nullable(),
});

const Group = z.object({
  value: textOrNull.describe('Null: the hits without a value.'),
  clicks: count,
  visitors: count
    .optional()
    .describe(
      'By variant, for links and without a filter: daily visitors whose first click of the day led to it. Otherwise it is missing.',
    ),
  not_counted: count.describe('Hits of this value that are no clicks, if these were requested.'),
});

const RuleChange = z.object({
  at: isoInstant,
  rule: z.enum(['repeats', 'visitors']),
  sentence: z.string(),
});

export const Stats = component('Stats', {
  from: isoInstant,
  to: z.string().describe('ISO 8601, UTC: the first instant after the range.'),
  interval: z.enum(intervals),
  timezone: z.string(),
  from_raw: z
    .boolean()
    .describe(
      'Some of this was counted from raw hits, because a filter was combined with another or with a grouping. Hits before `raw_since` are missing there.',
    ),
  raw_since: rawSinceField,
  visitors_are: z
    .enum(['unique', 'daily', 'per_link'])
    .describe(
      '`unique`: the range begins with a UTC day and lies within it. `daily`: visitors count once in each UTC day, in the hour of their first click. `per_link`: the daily visitors of each chosen link, summed; a visitor of two links counts twice.',
    ),
  rule_changes: z
    .array(RuleChange)
    .describe('The instants within the range at which counting rules changed. Earlier hits keep their rule.'),
  totals: z.object({
    clicks: count,
    visitors: count.nullable().describe('See `visitors_are`. Null if a filter is set.'),
    not_counted: Uncounted.nullable().describe('Null if a filter is by something that only clicks have.'),
  }),
  series: z.array(Point).describe('All buckets from `from` to `to`, including empty ones.'),
  groups: z.array(Group).nullable().describe('The hundred largest values of `group_by`. Null without it.'),
  other: z.object({ clicks: count, not_counted: count }).nullable().describe('The sum of all other values.'),
});

export const instantText = (end: string) =>
  text(64).optional().describe(`ISO 8601 date or date-time, UTC unless it has an offset. ${end}`);

/** Descriptions of the filters whose names alone don't explain them. */
const described: Partial<Record<Grouping, string>> = {
  country: 'country: two letters',
  device: `kind of device: ${devices.join(', ')}`,
  os: 'operating system',
  referrer: 'referring host',
  destination: 'destination: default, android, ios, rule',
  source: `source: ${sources.join(', ')}`,
  rule: 'rule: its id',
  variant: 'variant: as returned by `group_by`, `rule/variant`, or its id together with `rule`',
  region: 'region: its ISO 3166-2 code, such as DE-BY',
  city: 'city: as returned by `group_by`, `DE-BY/Munich`, or its name together with `region` (or `country`, if no region is known)',
  address: "address: the alias, such as `go.example.com/old`; empty for the link's own address",
  reason: 'reason (clicks only with `class` click or human)',
  class: `class: click, human, ${uncountedClasses.join(', ')}`,
};

const filters = eachField([...clickDimensions, 'reason', 'class'], (grouping: Grouping) =>
  text(grouping === 'address' ? 2_048 : 300)
    .optional()
    .describe(`Only hits of this ${described[grouping] ?? grouping}. Empty: those that have none.`),
);

const linksNow = 'For current links, of which it may select at most 10,000.';

export const StatsQuery = z.object({
  from: instantText('A date is its first instant in `timezone`. Default: 29 days before `to`.'),
  to: instantText('A date includes that day. Default: now.'),
  interval: z.enum(intervals).default('day').describe('At most 1,000 of them.'),
  timezone: text(100)
    .default('UTC')
    .describe('IANA name. Days, weeks (from Monday) and months begin at its midnight.'),
  group_by: z.enum(groupings).optional(),
  ...filters,
});

export const chosenLinksFields = {
  tag: idList(10, 'ids of tags')
    .optional()
    .describe(`Only links that have all of these tags: up to ten ids, separated by commas. ${linksNow}`),
  domain: text(300).optional().describe(`Only links on this domain. ${linksNow}`),
  ids: idList(maxPerPage, 'ids of links')
    .optional()
    .describe('Only these links: up to 1,000 ids, separated by commas. For current links.'),
};

export const OrganizationStatsQuery = StatsQuery.extend(chosenLinksFields);
