import { devices, sources } from '../click-fields.ts';
import { withoutWww } from '../host.ts';
import { cityKey } from '../place.ts';
import { withUnionMembers } from './european-union.ts';
import { type PlainConditions, type RuleConditions, weekdays } from './rule-fields.ts';
import { minutesInDay, readTime } from './rule-hours.ts';

/** Conditions that are a list of values. */
export const listKeys = [
  'country',
  'region',
  'city',
  'device',
  'os',
  'browser',
  'language',
  'source',
  'referrer',
  'network',
] as const satisfies readonly (keyof PlainConditions)[];
export type ListKey = (typeof listKeys)[number];

/** How two values of a condition are related. */
interface Values {
  /** Whether every visitor with `narrower` also has `wider`. */
  readonly includes: (wider: string, narrower: string) => boolean;
  /** Whether a visitor can have both. */
  readonly overlaps: (one: string, other: string) => boolean;
}

const isSame = (one: string, other: string): boolean => one === other;
const plain: Values = { includes: isSame, overlaps: isSame };

const isSameCity = (one: string, other: string): boolean => cityKey(one) === cityKey(other);

const isTagWithin = (wider: string, tag: string): boolean =>
  `${tag}-`.toLowerCase().startsWith(`${wider}-`.toLowerCase());

const isWildcard = (host: string): boolean => host.startsWith('*.');

function isHostWithin(wider: string, host: string): boolean {
  if (isWildcard(wider)) return (isWildcard(host) ? host : withoutWww(host)).endsWith(wider.slice(1));
  return !isWildcard(host) && withoutWww(wider) === withoutWww(host);
}

/** For a host named without `www.`, visitors of `www.` are below it as well. */
const isBelow = (host: string, wildcard: string): boolean =>
  isWildcard(wildcard) && !isWildcard(host) && `www.${withoutWww(host)}`.endsWith(wildcard.slice(1));

const eitherWay = (holds: (one: string, other: string) => boolean) => (one: string, other: string) =>
  holds(one, other) || holds(other, one);

const valuesOf: Partial<Record<ListKey, Values>> = {
  city: { includes: isSameCity, overlaps: isSameCity },
  language: { includes: isTagWithin, overlaps: eitherWay(isTagWithin) },
  referrer: {
    includes: isHostWithin,
    overlaps: (one, other) => eitherWay(isHostWithin)(one, other) || eitherWay(isBelow)(one, other),
  },
  // Networks that are written differently may still overlap.
  network: { includes: isSame, overlaps: () => true },
};

/** All possible values, where there are few. */
const all: Partial<Record<ListKey, readonly string[]>> = { device: devices, source: sources };

const listIn = (key: ListKey, conditions: PlainConditions | undefined): readonly string[] | undefined => {
  const values = conditions?.[key];
  return values && key === 'country' ? withUnionMembers(values) : values;
};

/** The values that a visitor may have by both lists; undefined if any value is possible. */
function leftIn(key: ListKey, conditions: RuleConditions): readonly string[] | undefined {
  const { includes } = valuesOf[key] ?? plain;
  const accepted = listIn(key, conditions);
  const excluded = listIn(key, conditions.not);
  const candidates = accepted ?? (excluded && all[key]);
  return candidates?.filter((value) => !excluded?.some((other) => includes(other, value)));
}

/** Accepted values that are excluded as well. */
export function excludedIn(key: ListKey, { not, ...when }: RuleConditions): readonly string[] {
  return (when[key] ?? []).filter(
    (value) => leftIn(key, { [key]: [value], ...(not && { not }) })?.length === 0,
  );
}

export const excludesEveryone = (key: ListKey, conditions: RuleConditions): boolean =>
  leftIn(key, conditions)?.length === 0;

/** Whether visitors who meet the second conditions also meet the first ones, as far as one key tells. */
export function coversList(key: ListKey, first: RuleConditions, second: RuleConditions): boolean {
  const { includes, overlaps } = valuesOf[key] ?? plain;
  const accepted = listIn(key, first);
  const excluded = listIn(key, first.not) ?? [];
  const left = leftIn(key, second);
  const alsoExcluded = listIn(key, second.not) ?? [];
  const isAccepted =
    accepted === undefined || left?.every((value) => accepted.some((one) => includes(one, value)));
  const isNotExcluded = excluded.every(
    (value) =>
      alsoExcluded.some((one) => includes(one, value)) || left?.every((other) => !overlaps(value, other)),
  );
  return (isAccepted ?? false) && isNotExcluded;
}

type Query = NonNullable<PlainConditions['query']>;

export function coversQuery(first: Query, second: Query): boolean {
  return Object.entries(first).every(([name, values]) => {
    const narrower = Object.hasOwn(second, name) ? second[name] : undefined;
    if (narrower === undefined) return false;
    return values.length === 0 || (narrower.length > 0 && narrower.every((value) => values.includes(value)));
  });
}

/** Start and end, in milliseconds. */
export function spanOf({ from, to, not }: RuleConditions): readonly [start: number, end: number] {
  const read = (at: string | undefined, otherwise: number) => (at ? Date.parse(at) : otherwise);
  return [
    Math.max(read(from, Number.NEGATIVE_INFINITY), read(not?.to, Number.NEGATIVE_INFINITY)),
    Math.min(read(to, Number.POSITIVE_INFINITY), read(not?.from, Number.POSITIVE_INFINITY)),
  ];
}

type Hours = NonNullable<PlainConditions['hours']>;

/** The minutes of a week by one clock. */
function minutesOf({ days = weekdays, from = '00:00', to = '24:00' }: Hours): ReadonlySet<number> {
  const [start, end] = [readTime(from) ?? 0, readTime(to) ?? minutesInDay];
  const length = start < end ? end - start : minutesInDay - start + end;
  const minutes = new Set<number>();
  for (const [day, name] of weekdays.entries()) {
    if (!days.includes(name)) continue;
    for (let minute = start; minute < start + length; minute++)
      minutes.add((day * minutesInDay + minute) % (weekdays.length * minutesInDay));
  }
  return minutes;
}

const hasSameClock = (one: Hours, other: Hours): boolean =>
  one.timezone.toLowerCase() === other.timezone.toLowerCase();

export const coversHours = (first: Hours, second: Hours): boolean =>
  hasSameClock(first, second) && minutesOf(second).isSubsetOf(minutesOf(first));

const areDisjoint = (one: Hours, other: Hours): boolean =>
  hasSameClock(one, other) && minutesOf(one).isDisjointFrom(minutesOf(other));

/**
 * Whether every visitor who meets the second conditions also meets the first ones. True only if that is certain: networks, and
 * hours by different clocks, are not compared.
 */
export const covers = (first: RuleConditions, second: RuleConditions): boolean =>
  listKeys.every((key) => coversList(key, first, second)) && coversOthers(first, second);

function coversOthers(first: RuleConditions, second: RuleConditions): boolean {
  const [start, end] = spanOf(first);
  const [secondStart, secondEnd] = spanOf(second);
  if (secondStart < start || secondEnd > end) return false;
  if (first.query && !(second.query && coversQuery(first.query, second.query))) return false;
  if (first.not?.query && !(second.not?.query && coversQuery(second.not.query, first.not.query)))
    return false;
  if (first.hours && !(second.hours && coversHours(first.hours, second.hours))) return false;
  const excludedHours = first.not?.hours;
  if (excludedHours === undefined) return true;
  const { hours, not } = second;
  return (
    (not?.hours && coversHours(not.hours, excludedHours)) ||
    (hours ? areDisjoint(hours, excludedHours) : false)
  );
}
