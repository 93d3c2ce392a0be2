import { hasTallies } from '../ledger/chunks/has-tallies.ts';
import {
  type BucketCount,
  type Counts,
  type HitSlice,
  type Hours,
  type RollupSlice,
  type Slice,
  spanOf,
} from '../ledger/counts/counts.ts';
import type { GroupCount } from '../ledger/groups.ts';
import type { Owner } from '../ledger/ledger.ts';
import { openCounts, openHitCounts } from '../ledger/open-counts.ts';
import {
  columnOf,
  dimensionCodes,
  type HitColumn,
  type RollupClass,
  rollupClassCodes,
  rollupClasses,
  type targets,
  wasAddedLater,
} from '../rules/click-fields.ts';
import { normaliseHostname, withoutWww } from '../rules/host.ts';
import { isCityWord } from '../rules/place.ts';
import { hoursPerDay } from '../rules/utc-time.ts';
import { readVisitedAddress } from '../rules/visited-address.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import {
  classesNamed,
  closedLists,
  type Filters,
  type Grouping,
  groupings,
  hasOnlyClicks,
  noValue,
  planFor,
} from './plan.ts';
import type { StatsRange } from './range.ts';
import {
  type RuleChange,
  ruleChangesIn,
  rulesChangedAt,
  termsCountedSince,
  visitorsByHourSince,
} from './rule-changes.ts';
import { idOfWord, wordsById } from './words.ts';

export type { Owner } from '../ledger/ledger.ts';

interface StatsQuestion {
  readonly owner: Owner;
  readonly range: StatsRange;
  readonly filters: Readonly<Partial<Record<Grouping, string | undefined>>>;
  readonly groupBy: Grouping | undefined;
  /** The instant since which raw hits are kept. */
  readonly rawSince: number;
}

type Uncounted = Readonly<Record<Exclude<RollupClass, 'click'>, number>>;

export interface Stats {
  /** Some of it was counted from the hits themselves, which are kept for a limited time. */
  readonly fromRaw: boolean;
  /** Unique, or the sum over UTC days or links. */
  readonly visitorsAre: 'unique' | 'daily' | 'per_link';
  readonly ruleChanges: readonly RuleChange[];
  readonly clicks: number;
  /** Null if there is a filter: visitors are only counted for all clicks together. */
  readonly visitors: number | null;
  /** Null if only clicks were counted. */
  readonly notCounted: Uncounted | null;
  readonly series: readonly StatsPoint[];
  readonly groups: readonly StatsGroup[] | null;
  readonly other: Pick<StatsGroup, 'clicks' | 'notCounted'> | null;
}

interface StatsPoint {
  readonly start: string;
  readonly clicks: number;
  /** Also null for an hour of a day for which visitors were counted by day. */
  readonly visitors: number | null;
  readonly notCounted: number | null;
}

interface StatsGroup {
  readonly value: string | null;
  readonly clicks: number;
  /** For a variant: visitors whose first click of a day went to it. Undefined if they aren't counted. */
  readonly visitors?: number;
  readonly notCounted: number;
}

const maxGroups = 100;
const everything = (dimension: 'visitors' | 'variant_visitors'): RollupSlice => ({
  kind: 'rollups',
  dimension: dimensionCodes[dimension],
});
const { click } = rollupClassCodes;

export async function readStats(database: Database, question: StatsQuestion): Promise<Stats> {
  const { owner, range, groupBy, rawSince } = question;
  const { filters, classes } = await parseFilters(database.read, question.filters);
  const beginsBeforeRollups =
    [groupBy, ...filters.keys()].some(wasAddedLater) && range.from < (await termsCountedSince(database.read));
  const slice = planFor(filters, classes, undefined, beginsBeforeRollups);
  const grouping =
    groupBy === undefined
      ? null
      : {
          by: groupBy,
          column: columnOf(groupBy),
          slice: planFor(filters, classes, groupBy, beginsBeforeRollups),
        };
  const open = (counted: Slice) => openCounts(database, owner, counted, rawSince);
  const groupsIn = (counted: Slice, column: HitColumn) =>
    open(counted).groups(column, spanOf(range.buckets), maxGroups);
  const fromRaw = slice.kind === 'hits' || grouping?.slice.kind === 'hits';
  const changedAt = await rulesChangedAt(database.read);
  const isFiltered = filters.size > 0 || classes !== undefined;
  const isTallied =
    !isFiltered &&
    grouping !== null &&
    range.from >= rawSince &&
    (await hasTallies(database, owner, grouping.slice));
  const atOnce =
    grouping !== null && areSameHits(slice, grouping.slice)
      ? openHitCounts(database, owner, slice, rawSince).bucketsAndGroups(
          range.buckets,
          grouping.column,
          maxGroups,
        )
      : null;
  const [byBucket, visitors, found] = await Promise.all([
    atOnce?.then(({ counts }) => counts) ?? open(slice).byBucket(range.buckets),
    isFiltered ? null : visitorCounts(open(everything('visitors')), range, visitorsByHourSince(changedAt)),
    atOnce?.then(({ groups }) => groups) ??
      (grouping && groupsIn(isTallied ? clicksInLedger : grouping.slice, grouping.column)),
  ]);
  const points = pointsOf(range, classCounts(byBucket, range), visitors, hasOnlyClicks(slice));
  // The roll-ups also count hits that the ledger has deleted, and hits that were added after it was read.
  const isComplete = !isTallied || (found?.[0]?.all_clicks ?? 0) === points.clicks;
  const rows = isComplete ? found : await groupsIn(grouping.slice, grouping.column);
  const visitorsOf =
    groupBy === 'variant' && !isFiltered ? await variantVisitors(database, question) : () => ({});
  const groups = rows && grouping && (await groupsOf(database.read, rows, grouping.by, visitorsOf));
  return {
    fromRaw,
    visitorsAre: visitorsAre(question),
    ruleChanges: ruleChangesIn(range, changedAt),
    ...points,
    ...(groups ?? { groups: null, other: null }),
  };
}

/** Whether the series and the groups are counted from the same hits, which are then read once. */
const areSameHits = (slice: Slice, groupSlice: Slice): slice is HitSlice =>
  slice.kind === 'hits' && groupSlice.kind === 'hits' && String(slice.classes) === String(groupSlice.classes);

const clicksInLedger: Slice = { kind: 'hits', values: [], classes: [click] };

/** Hits by bucket, then by class. */
type ClassCounts = readonly (readonly number[])[];

function classCounts(counts: readonly BucketCount[], { buckets }: StatsRange): ClassCounts {
  const sums = buckets.map(() => rollupClasses.map(() => 0));
  for (const { bucket, class: ofClass, hits } of counts) {
    const row = sums[bucket];
    if (row?.[ofClass] !== undefined) row[ofClass] += hits;
  }
  return sums;
}

interface Visitors {
  readonly total: number;
  /** Null for an hour of a day for which they were counted by day. */
  readonly byBucket: readonly (number | null)[];
}

/** Visitors by the hours of the buckets; before `since` by UTC days, each of which is counted in the bucket that contains its noon. */
async function visitorCounts(
  counts: Counts,
  { buckets, interval }: StatsRange,
  since: number,
): Promise<Visitors> {
  const byHour = await sumsOf(
    counts,
    buckets.map(({ from, to }) => ({ from: Math.max(from, since), to: Math.max(to, since) })),
  );
  if ((buckets[0]?.days.from ?? since) >= since) return { total: sum(byHour), byBucket: byHour };
  // With buckets of an hour, all of them have the same days, which count once.
  const spans = interval === 'hour' ? buckets.slice(0, 1) : buckets;
  const byDay = await sumsOf(
    counts,
    spans.map(({ days }) => ({ from: Math.min(days.from, since), to: Math.min(days.to, since) })),
  );
  return {
    total: sum(byHour) + sum(byDay),
    byBucket: buckets.map(({ from }, bucket) =>
      interval === 'hour' && from < since ? null : (byHour[bucket] ?? 0) + (byDay[bucket] ?? 0),
    ),
  };
}

async function sumsOf(counts: Counts, spans: readonly Hours[]): Promise<readonly number[]> {
  const sums = spans.map(() => 0);
  for (const { bucket, hits } of await counts.byBucket(spans)) sums[bucket] = (sums[bucket] ?? 0) + hits;
  return sums;
}

function visitorsAre({ owner, range }: StatsQuestion): Stats['visitorsAre'] {
  if ((owner.links?.length ?? 1) !== 1) return 'per_link';
  return isUnique(range) ? 'unique' : 'daily';
}

/** Whether no visitor can be counted twice: the range is within one UTC day, from its start. */
function isUnique({ buckets }: StatsRange): boolean {
  const { from, to } = spanOf(buckets);
  return from % hoursPerDay === 0 && to - from <= hoursPerDay;
}

function pointsOf(
  { buckets }: StatsRange,
  counts: ClassCounts,
  visitors: Visitors | null,
  hasOnlyClicks: boolean,
): Pick<Stats, 'clicks' | 'visitors' | 'notCounted' | 'series'> {
  const totals = rollupClasses.map((_, code) => sum(counts.map((row) => row[code] ?? 0)));
  const { click: clicks, ...notCounted } = Object.fromEntries(
    rollupClasses.map((name, code) => [name, totals[code] ?? 0]),
  ) as Record<RollupClass, number>;
  return {
    clicks,
    visitors: visitors?.total ?? null,
    notCounted: hasOnlyClicks ? null : notCounted,
    series: buckets.map(({ start }, bucket) => {
      const row = counts[bucket] ?? [];
      return {
        start,
        clicks: row[click] ?? 0,
        visitors: visitors?.byBucket[bucket] ?? null,
        notCounted: hasOnlyClicks ? null : sum(row) - (row[click] ?? 0),
      };
    }),
  };
}

/** Visitors by the variant of their first click of a day: known for links, except for visitors that were sent to no variant. */
async function variantVisitors(
  database: Database,
  { owner, range }: StatsQuestion,
): Promise<(value: number) => Pick<StatsGroup, 'visitors'>> {
  if (owner.kind === 'organization' && owner.links === undefined) return () => ({});
  const counts = openCounts(database, owner, everything('variant_visitors'));
  const found = await counts.groups('variant', spanOf(range.buckets), Number.POSITIVE_INFINITY);
  const visitors = new Map(found.map(({ value, hits }) => [value, hits]));
  return (value) => (value === 0 ? {} : { visitors: visitors.get(value) ?? 0 });
}

async function groupsOf(
  queries: Queries,
  rows: readonly GroupCount[],
  groupBy: Grouping,
  visitorsOf: (value: number) => Pick<StatsGroup, 'visitors'>,
): Promise<Pick<Stats, 'groups' | 'other'>> {
  const nameOf = await namesOf(queries, groupBy, rows);
  const shown = { clicks: sum(rows.map((row) => row.clicks)), hits: sum(rows.map((row) => row.hits)) };
  const otherClicks = (rows[0]?.all_clicks ?? 0) - shown.clicks;
  return {
    groups: rows.map((row) => ({
      value: nameOf(row.value),
      clicks: row.clicks,
      ...visitorsOf(row.value),
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
  if (list) return (value) => (list[value] === withoutDestination ? null : (list[value] ?? null));
  const words = await wordsById(
    queries,
    rows.map((row) => row.value),
  );
  return (value) => words.get(value) || null;
}

/** Of the values in closed lists, a hit can only lack a destination. */
const withoutDestination: (typeof targets)[number] = 'none';

/** Filters with the codes and ids of their values. */
async function parseFilters(
  queries: Queries,
  given: StatsQuestion['filters'],
): Promise<{ filters: Filters; classes: readonly number[] | undefined }> {
  const filters = new Map<Exclude<Grouping, 'class'>, number>();
  for (const grouping of groupings) {
    const text = given[grouping];
    if (text === undefined || grouping === 'class') continue;
    const list = closedLists[grouping];
    const number = list
      ? list.indexOf(text === '' ? withoutDestination : text)
      : await idOfWord(queries, storedWord(grouping, text, given));
    filters.set(grouping, number ?? noValue);
  }
  return { filters, classes: given.class === undefined ? undefined : classesNamed(given.class) };
}

/**
 * The word of a value: codes and hosts may be in upper or lower case, a host with its `www.`, and a value that is unique together
 * with another filter may be given alone.
 */
function storedWord(grouping: Grouping, text: string, given: StatsQuestion['filters']): string {
  if (grouping === 'country' || grouping === 'region') return text.toUpperCase();
  if (grouping === 'language') return text.toLowerCase();
  if (grouping === 'referrer') return withoutWww(normaliseHostname(text));
  if (text === '') return text;
  if (grouping === 'variant' && given.rule && !text.includes('/')) return `${given.rule}/${text}`;
  const area = given.region || given.country;
  if (grouping === 'city' && area && !isCityWord(text)) return `${area.toUpperCase()}/${text}`;
  return grouping === 'address' ? readVisitedAddress(text) : text;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
