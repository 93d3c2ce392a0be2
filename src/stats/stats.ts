import { dimensions, hourLength, hourOf, type RollupClass, rollupClasses } from '../ledger/codes.ts';
import type { Owner } from '../ledger/owner.ts';
import { Refusal } from '../rules/errors.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import type { Hours } from './buckets.ts';
import {
  classesNamed,
  closedLists,
  type Filters,
  type Grouping,
  groupings,
  isOfClicksAlone,
  noValue,
  type Plan,
  planFor,
} from './plan.ts';
import type { StatsRange } from './range.ts';
import { type HitColumn, type RawSlice, rawGroupCounts, rawHourCounts } from './raw-queries.ts';
import { bucketCounts, type GroupCount, groupCounts, totalCount } from './rollup-queries.ts';
import { numberOfWord, wordsByNumber } from './words.ts';

export type { Owner } from '../ledger/owner.ts';

export interface StatsQuestion {
  readonly owner: Owner;
  readonly range: StatsRange;
  readonly filters: Readonly<Partial<Record<Grouping, string | undefined>>>;
  readonly groupBy: Grouping | undefined;
  /** Since when raw hits are kept. */
  readonly rawSince: number;
}

export type Uncounted = Readonly<Record<Exclude<RollupClass, 'click'>, number>>;

export interface Stats {
  /** Some of it was counted from the hits themselves, which are kept for a while only. */
  readonly fromRaw: boolean;
  readonly clicks: number;
  /** Null where a filter is set: who came is known for all clicks together only. */
  readonly visitors: number | null;
  /** Null where clicks alone were looked at. */
  readonly notCounted: Uncounted | null;
  readonly series: readonly StatsPoint[];
  readonly groups: readonly StatsGroup[] | null;
  readonly other: Pick<StatsGroup, 'clicks' | 'notCounted'> | null;
}

export interface StatsPoint {
  readonly start: string;
  readonly clicks: number;
  /** Null also by the hour: visitors are counted by the day. */
  readonly visitors: number | null;
  readonly notCounted: number | null;
}

export interface StatsGroup {
  readonly value: string | null;
  readonly clicks: number;
  readonly notCounted: number;
}

const maxGroups = 100;
/** Read one by one they take about a second: many more would hold up everybody who reads. */
const maxRaw = 5_000_000;
const totalDimension = dimensions.indexOf('total');
const visitorsDimension = dimensions.indexOf('visitors');
const click = rollupClasses.indexOf('click');

export async function readStats(database: Database, question: StatsQuestion): Promise<Stats> {
  const { read } = database;
  const { groupBy } = question;
  const { filters, classes } = await understood(read, question.filters);
  const plan = planFor(filters, classes, undefined);
  const groupPlan = groupBy === undefined ? null : planFor(filters, classes, groupBy);
  const fromRaw = plan.kind === 'raw' || groupPlan?.kind === 'raw';
  if (fromRaw) await refuseTooMany(read, question);
  const isFiltered = filters.size > 0 || classes !== undefined;
  const [counts, visitors, groups] = await Promise.all([
    countsOf(database, question, plan),
    isFiltered ? null : visitorsOf(read, question),
    groupPlan && groupBy !== undefined ? groupsOf(database, question, groupPlan, groupBy) : null,
  ]);
  return {
    fromRaw,
    ...pointsOf(question.range, counts, visitors, isOfClicksAlone(plan)),
    ...(groups ?? { groups: null, other: null }),
  };
}

/** The ledger is in the order in which hits came in, so whatever the range, all that its owner has is looked at. */
async function refuseTooMany(queries: Queries, { owner, rawSince }: StatsQuestion): Promise<void> {
  const slice = { dimension: totalDimension, value: undefined, classes: undefined };
  const hits = await totalCount(queries, owner, slice, { from: hourOf(rawSince) });
  if (hits <= maxRaw) return;
  throw new Refusal(
    'TOO_MANY_HITS',
    `Filters can be combined with one another or with a grouping for up to ${maxRaw.toLocaleString('en-US')} hits; here there are more. ${owner.kind === 'link' ? 'Use one filter, or one grouping.' : 'Ask for a single link, or use one filter or one grouping.'}`,
  );
}

/** Hits by bucket, then by class. */
type Counts = readonly (readonly number[])[];

async function countsOf(database: Database, { owner, range }: StatsQuestion, plan: Plan): Promise<Counts> {
  const counts = range.buckets.map(() => rollupClasses.map(() => 0));
  const add = (bucket: number, place: number, hits: number) => {
    const row = counts[bucket];
    if (row?.[place] !== undefined) row[place] += hits;
  };
  if (plan.kind === 'rollups') {
    const found = await bucketCounts(database.read, owner, plan, range.buckets);
    for (const { bucket, class: place, hits } of found) add(bucket, place, hits);
    return counts;
  }
  const found = await rawHourCounts(database, rawSlice(owner, plan, range.buckets));
  for (const { hour, class: place, hits } of found) add(bucketAt(range.buckets, hour), place, hits);
  return counts;
}

/** Visitors by bucket and in all. */
async function visitorsOf(queries: Queries, { owner, range }: StatsQuestion): Promise<readonly number[]> {
  const slice = { dimension: visitorsDimension, value: undefined, classes: undefined };
  // By the hour all buckets lie in the same days, which count once.
  const spans = range.interval === 'hour' ? range.buckets.slice(0, 1) : range.buckets;
  const visitors = spans.map(() => 0);
  const found = await bucketCounts(
    queries,
    owner,
    slice,
    spans.map(({ days }) => days),
  );
  for (const { bucket, hits } of found) visitors[bucket] = (visitors[bucket] ?? 0) + hits;
  return visitors;
}

function pointsOf(
  { buckets, interval }: StatsRange,
  counts: Counts,
  visitors: readonly number[] | null,
  isClicksAlone: boolean,
): Pick<Stats, 'clicks' | 'visitors' | 'notCounted' | 'series'> {
  const totals = rollupClasses.map((_, place) => sum(counts.map((row) => row[place] ?? 0)));
  const { click: clicks, ...notCounted } = Object.fromEntries(
    rollupClasses.map((name, place) => [name, totals[place] ?? 0]),
  ) as Record<RollupClass, number>;
  return {
    clicks,
    visitors: visitors && sum(visitors),
    notCounted: isClicksAlone ? null : notCounted,
    series: buckets.map(({ start }, bucket) => {
      const row = counts[bucket] ?? [];
      return {
        start,
        clicks: row[click] ?? 0,
        visitors: visitors && interval !== 'hour' ? (visitors[bucket] ?? 0) : null,
        notCounted: isClicksAlone ? null : sum(row) - (row[click] ?? 0),
      };
    }),
  };
}

async function groupsOf(
  database: Database,
  { owner, range }: StatsQuestion,
  plan: Plan,
  groupBy: Grouping,
): Promise<Pick<Stats, 'groups' | 'other'>> {
  const rows =
    plan.kind === 'rollups'
      ? await groupCounts(
          database.read,
          owner,
          plan,
          groupBy === 'class' ? 'class' : 'value',
          spanOf(range.buckets),
          maxGroups,
        )
      : await rawGroupCounts(database, rawSlice(owner, plan, range.buckets), columnOf(groupBy), maxGroups);
  const names = await namesOf(database.read, groupBy, rows);
  const shown = { clicks: sum(rows.map((row) => row.clicks)), hits: sum(rows.map((row) => row.hits)) };
  const otherClicks = (rows[0]?.all_clicks ?? 0) - shown.clicks;
  return {
    groups: rows.map((row) => ({
      value: names(row.value),
      clicks: row.clicks,
      notCounted: row.hits - row.clicks,
    })),
    other: { clicks: otherClicks, notCounted: (rows[0]?.all_hits ?? 0) - shown.hits - otherClicks },
  };
}

async function namesOf(
  queries: Queries,
  groupBy: Grouping,
  rows: readonly GroupCount[],
): Promise<(value: number) => string | null> {
  const list = closedLists[groupBy];
  if (list) return (value) => list[value] ?? null;
  const words = await wordsByNumber(
    queries,
    rows.map((row) => row.value),
  );
  return (value) => words.get(value) || null;
}

/** Filters by the numbers that values are kept under. */
async function understood(
  queries: Queries,
  given: StatsQuestion['filters'],
): Promise<{ filters: Filters; classes: readonly number[] | undefined }> {
  const filters = new Map<Exclude<Grouping, 'class'>, number>();
  for (const grouping of groupings) {
    const text = given[grouping];
    if (text === undefined || grouping === 'class') continue;
    const list = closedLists[grouping];
    const number = list ? list.indexOf(text) : await numberOfWord(queries, keptAs(grouping, text));
    filters.set(grouping, number ?? noValue);
  }
  return { filters, classes: given.class === undefined ? undefined : classesNamed(given.class) };
}

const keptAs = (grouping: Grouping, text: string): string =>
  grouping === 'country' ? text.toUpperCase() : text;

function rawSlice(owner: Owner, plan: Plan & { kind: 'raw' }, buckets: readonly Hours[]): RawSlice {
  const { from, to } = spanOf(buckets);
  return {
    owner,
    filters: [...plan.filters].map(([grouping, value]) => [columnOf(grouping), value] as const),
    classes: plan.classes,
    from: from * hourLength,
    to: to * hourLength,
  };
}

function columnOf(grouping: Exclude<Grouping, 'class'>): HitColumn;
function columnOf(grouping: Grouping): HitColumn | 'class';
function columnOf(grouping: Grouping): HitColumn | 'class' {
  return grouping === 'destination' ? 'target' : grouping;
}

const spanOf = (buckets: readonly Hours[]): Hours => ({
  from: buckets[0]?.from ?? 0,
  to: buckets.at(-1)?.to ?? 0,
});

/** Buckets follow one another without a gap: the last one that has begun. */
function bucketAt(buckets: readonly Hours[], hour: number): number {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((buckets[middle]?.from ?? 0) <= hour) low = middle;
    else high = middle - 1;
  }
  return low;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
