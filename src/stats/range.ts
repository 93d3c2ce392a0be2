import { Refusal } from '../rules/errors.ts';
import { parseInstant } from '../rules/instant.ts';
import { type Bucket, bucketsOf, dayBefore, dayStart, type Interval, timezoneNamed } from './buckets.ts';

interface RangeInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone: string;
}

/** Instants; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface StatsRange extends Range {
  readonly interval: Interval;
  readonly timezone: string;
  readonly buckets: readonly Bucket[];
}

const maxBuckets = 1_000;
const defaultDays = 30;
/** The range that can be counted at all: instants beyond it are replaced by its ends. */
const bounds = { from: Date.parse('1970-01-03T00:00:00Z'), to: Date.parse('9990-01-01T00:00:00Z') };

/** The range of a chart; by default today and the 29 days before it. */
export function statsRange(input: RangeInput & { readonly interval: Interval }, now: number): StatsRange {
  const timezone = timezoneNamed(input.timezone);
  if (timezone === null) {
    throw invalid('timezone', `"${input.timezone}" is no timezone. Give an IANA name such as Europe/Berlin.`);
  }
  const to = instantOf('to', input, timezone) ?? now;
  const from =
    instantOf('from', input, timezone) ?? dayStart(dayBefore(to - 1, timezone, defaultDays - 1), timezone);
  const field = input.from === undefined ? 'to' : 'from';
  if (input.to === undefined && from >= to)
    throw invalid(
      'from',
      'This is in the future, and without "to" the range ends now. Give an earlier "from", or a later "to".',
      'RANGE_REVERSED',
    );
  refuseReversed(from, to, field);
  if (to <= bounds.from || from >= bounds.to)
    throw invalid(
      field,
      'Clicks are counted from 1970-01-03 to 9989-12-31. Give a range with some of these days.',
    );
  const range = { from: bounded(from), to: bounded(to) };
  const buckets = bucketsOf(range, input.interval, timezone, maxBuckets);
  if (buckets === null)
    throw invalid(
      'interval',
      `This range has more than ${maxBuckets.toLocaleString('en-US')} ${input.interval}s. Take a shorter one${input.interval === 'month' ? '' : ', or a longer interval'}.`,
      'RANGE_TOO_WIDE',
    );
  return { ...range, interval: input.interval, timezone, buckets };
}

/** The ends of a list of hits, where given. Days are UTC days. */
export function clicksRange(input: Pick<RangeInput, 'from' | 'to'>): Partial<Range> {
  const from = instantOf('from', input, 'UTC');
  const to = instantOf('to', input, 'UTC');
  if (from !== undefined && to !== undefined) refuseReversed(from, to, 'from');
  return {
    ...(from === undefined ? {} : { from: bounded(from) }),
    ...(to === undefined ? {} : { to: bounded(to) }),
  };
}

function refuseReversed(from: number, to: number, field: string): void {
  if (from >= to)
    throw invalid(field, '"from" must be before "to". Swap them, or leave one out.', 'RANGE_REVERSED');
}

/** The instant of one end of a range, which includes its last day. */
function instantOf(
  field: 'from' | 'to',
  input: Pick<RangeInput, 'from' | 'to'>,
  timezone: string,
): number | undefined {
  const text = input[field];
  if (text === undefined) return undefined;
  if (isDay(text)) return dayStart(text.trim(), timezone, field === 'to' ? 1 : 0);
  const instant = parseInstant(text);
  if (instant === null)
    throw invalid(field, 'Give a date such as 2030-12-31, or an instant such as 2030-12-31T18:00:00Z.');
  return instant;
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text.trim()) && parseInstant(text) !== null;

const bounded = (instant: number): number => Math.min(Math.max(instant, bounds.from), bounds.to);

const invalid = (
  field: string,
  sentence: string,
  code: 'FIELD_INVALID' | 'RANGE_REVERSED' | 'RANGE_TOO_WIDE' = 'FIELD_INVALID',
) => new Refusal(code, sentence, { field });
