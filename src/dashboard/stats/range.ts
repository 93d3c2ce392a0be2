import { dayLength, hourLength } from '../../rules/durations.ts';
import { dayForm, dayOf, shortDayForm } from '../format.ts';

/** The time range of a board, according to the page's address. */
type RollingName = '24h' | '7d' | '30d' | '90d' | '12m';
export type Range =
  | { readonly kind: 'rolling'; readonly name: RollingName }
  /** Days in the visitor's time zone, the last one included. */
  | { readonly kind: 'custom'; readonly from: string; readonly to: string };

export interface Period {
  readonly from: string;
  /** Absent: up to now. */
  readonly to?: string;
}

interface Span extends Period {
  readonly interval: 'hour' | 'day' | 'week' | 'month';
}

export interface RangePlan {
  readonly span: Span;
  /** The span of the same length before it. */
  readonly before: Required<Period>;
  /** "in 30 days", "from 3 to 9 Nov 2026". */
  readonly during: string;
  /** "the 30 before". */
  readonly beforeName: string;
  /** Whether the last point is still growing. */
  readonly isOngoing: boolean;
}

const rolling: Readonly<Record<RollingName, { label: string; during: string; beforeName: string }>> = {
  '24h': { label: '24 hours', during: 'in 24 hours', beforeName: 'the 24 before' },
  '7d': { label: '7 days', during: 'in 7 days', beforeName: 'the 7 before' },
  '30d': { label: '30 days', during: 'in 30 days', beforeName: 'the 30 before' },
  '90d': { label: '90 days', during: 'in 90 days', beforeName: 'the 90 before' },
  '12m': { label: '12 months', during: 'in 12 months', beforeName: 'the 12 before' },
};

export const rollingNames = Object.keys(rolling) as readonly RollingName[];
export const labelOf = (name: RollingName): string => rolling[name].label;
export const defaultRange: Range = { kind: 'rolling', name: '30d' };

export function rangeIn(search: string): Range {
  const text = new URLSearchParams(search).get('range') ?? '';
  const name = rollingNames.find((one) => one === text);
  if (name) return { kind: 'rolling', name };
  const [from = '', to = '', more] = text.split('..');
  if (more !== undefined || !isDay(from) || !isDay(to)) return defaultRange;
  return from <= to ? { kind: 'custom', from, to } : { kind: 'custom', from: to, to: from };
}

/** A range in the form of the address; null for the default one, which is left out. */
export function writtenRange(range: Range): string | null {
  if (range.kind === 'custom') return `${range.from}..${range.to}`;
  return range.name === '30d' ? null : range.name;
}

const isDay = (text: string): boolean =>
  /^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/.test(text) && dayOf(startOf(text)) === text;

function startOf(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, dayOfMonth = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, dayOfMonth + daysLater);
}

/** Days as instants, for the list of hits: the days of its API are UTC days. */
export function instantsOf({ from, to }: Period): Period {
  const instant = (text: string, daysLater: number) =>
    text.includes('T') ? text : startOf(text, daysLater).toISOString();
  return { from: instant(from, 0), ...(to && { to: instant(to, 1) }) };
}

/**
 * Days as instants, for erasing their hits. Of hits from before `rawSince` only the hours are known: if there may be some, days
 * that begin within an hour (in zones that are off by 30 or 45 minutes) begin with it, as in statistics.
 */
export function instantsToErase(days: Required<Period>, rawSince: string): Period {
  const { from, to = '' } = instantsOf(days);
  if (Date.parse(from) >= Date.parse(rawSince) + hourLength) return { from, to };
  const hourDown = (text: string) =>
    new Date(Math.floor(Date.parse(text) / hourLength) * hourLength).toISOString();
  return { from: hourDown(from), to: hourDown(to) };
}

/** The days of a span, the last one included. */
export const daysOf = ({ from, to }: Period): Required<Period> => ({
  from: from.includes('T') ? dayOf(new Date(from)) : from,
  to: to ?? dayOf(new Date()),
});

/** The same time of day some days earlier, even across a change of the clocks. */
function daysEarlier(at: Date, days: number): Date {
  const earlier = new Date(at);
  earlier.setDate(earlier.getDate() - days);
  return earlier;
}

/** Numbers are stored by the hour, so the query stays the same for an hour. */
const endOfHour = (now: number): Date => new Date(Math.floor(now / hourLength) * hourLength + hourLength);

export function planOf(range: Range, now: number): RangePlan {
  const end = endOfHour(now);
  if (range.kind === 'custom') return customPlan(range, end);
  const { during, beforeName } = rolling[range.name];
  const words = { during, beforeName, isOngoing: true };
  if (range.name === '24h') {
    const from = new Date(end.getTime() - dayLength);
    return {
      ...words,
      span: { from: from.toISOString(), interval: 'hour' },
      before: { from: new Date(from.getTime() - dayLength).toISOString(), to: from.toISOString() },
    };
  }
  if (range.name === '12m') {
    const today = new Date(now);
    const firstOf = (months: number) => new Date(today.getFullYear(), today.getMonth() - months, 1);
    const yearAgo = new Date(end);
    yearAgo.setFullYear(yearAgo.getFullYear() - 1);
    const from = firstOf(11);
    // A year before 29 February is 1 March, which is in the span itself.
    const to = yearAgo < from ? yearAgo : from;
    return {
      ...words,
      span: { from: dayOf(from), interval: 'month' },
      before: { from: dayOf(firstOf(23)), to: to.toISOString() },
    };
  }
  const days = Number.parseInt(range.name, 10);
  const from = dayOf(daysEarlier(new Date(now), days - 1));
  return {
    ...words,
    span: { from, interval: 'day' },
    before: { from: dayOf(startOf(from, -days)), to: daysEarlier(end, days).toISOString() },
  };
}

function customPlan({ from, to }: Range & { kind: 'custom' }, now: Date): RangePlan {
  const start = startOf(from);
  const end = startOf(to, 1);
  // Rounded, as the clocks may change within it.
  const days = Math.round((end.getTime() - start.getTime()) / dayLength);
  const isOngoing = start < now && now < end;
  const interval = days <= 2 ? 'hour' : days <= 92 ? 'day' : days <= 400 ? 'week' : 'month';
  return {
    span: { from, to, interval },
    before: {
      from: dayOf(startOf(from, -days)),
      to: daysEarlier(isOngoing ? now : end, days).toISOString(),
    },
    during:
      from === to
        ? `on ${dayForm.format(start)}`
        : `from ${beginning(from, to)} to ${dayForm.format(startOf(to))}`,
    beforeName: days === 1 ? 'the day before' : `the ${days} days before`,
    isOngoing,
  };
}

/** The first day without the parts that the last one repeats: "1 to 9 Nov 2026". */
function beginning(from: string, to: string): string {
  const start = startOf(from);
  if (from.slice(0, 7) === to.slice(0, 7)) return String(start.getDate());
  return from.slice(0, 4) === to.slice(0, 4) ? shortDayForm.format(start) : dayForm.format(start);
}
