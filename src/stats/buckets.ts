import type { Hours } from '../ledger/counts/counts.ts';
import { hourLength } from '../rules/durations.ts';

export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

export interface Bucket extends Hours {
  /** Its start in the time zone, as ISO 8601 with the zone's offset; before the range if that begins inside the bucket. */
  readonly start: string;
  /** The UTC days whose visitors are shown here. */
  readonly days: Hours;
}

/** The time zone's canonical name; null if there is no such zone. */
export function timezoneNamed(name: string): string | null {
  // Temporal would accept an instant that contains a zone as well.
  if (!/^[a-z][\w+/-]*$/i.test(name)) return null;
  try {
    return zoned(0, name).timeZoneId;
  } catch {
    return null;
  }
}

/** The first instant of a local day (`YYYY-MM-DD`), or of a later day. */
export const dayStart = (date: string, timezone: string, daysLater = 0): number =>
  Temporal.PlainDate.from(date).add({ days: daysLater }).toZonedDateTime(timezone).epochMilliseconds;

/** The local day that is `days` days before that of `instant`. */
export const dayBefore = (instant: number, timezone: string, days: number): string =>
  zoned(instant, timezone).toPlainDate().subtract({ days }).toString();

/**
 * Divides a range of instants into buckets of local time; null if there would be more than `max`. If a zone's offset is no whole
 * number of hours, its local hours begin inside UTC hours: each counts from the UTC hour in which it begins.
 */
export function bucketsOf(
  range: Hours,
  interval: Interval,
  timezone: string,
  max: number,
): readonly Bucket[] | null {
  const hours = hoursOf(range, timezone);
  const days = daysOf(range, timezone);
  if (interval !== 'hour') return calendarBuckets(range, hours, days, interval, timezone, max);
  if (hours.to - hours.from > max) return null;
  return Array.from({ length: hours.to - hours.from }, (_, index) => {
    const from = hours.from + index;
    return { start: isoText(zoned(from * hourLength, timezone)), from, to: from + 1, days };
  });
}

function calendarBuckets(
  range: Hours,
  hours: Hours,
  days: Hours,
  interval: Exclude<Interval, 'hour'>,
  timezone: string,
  max: number,
): readonly Bucket[] | null {
  const buckets: Bucket[] = [];
  let date = firstDay(zoned(range.from, timezone).toPlainDate(), interval);
  for (let start = date.toZonedDateTime(timezone); start.epochMilliseconds < range.to; ) {
    if (buckets.length === max) return null;
    date = date.add({ [`${interval}s`]: 1 });
    const next = date.toZonedDateTime(timezone);
    const isLast = next.epochMilliseconds >= range.to;
    const end = hourDown(next.epochMilliseconds);
    const hoursOfBucket = {
      from: hourDown(start.epochMilliseconds),
      to: isLast ? Math.max(end, hours.to) : end,
    };
    const isSkipped = start.epochMilliseconds === next.epochMilliseconds;
    if (!isSkipped)
      buckets.push({
        start: isoText(start),
        ...overlap(hoursOfBucket, hours),
        days: overlap(utcDays(hoursOfBucket), days),
      });
    start = next;
  }
  return buckets;
}

function firstDay(date: Temporal.PlainDate, interval: Exclude<Interval, 'hour'>): Temporal.PlainDate {
  if (interval === 'week') return date.subtract({ days: date.dayOfWeek - 1 });
  return interval === 'month' ? date.with({ day: 1 }) : date;
}

/**
 * A range includes the hour in which it ends, unless it ends on a whole hour of the zone. That may lie inside the UTC hour in which
 * the range begins, which is included all the same.
 */
function hoursOf(range: Hours, timezone: string): Hours {
  const end = zoned(range.to, timezone);
  const isWhole = end.minute === 0 && end.second === 0 && end.millisecond === 0;
  const from = hourDown(range.from);
  const to = isWhole ? hourDown(range.to) : Math.ceil(range.to / hourLength);
  return { from, to: Math.max(to, from + 1) };
}

/** The UTC days for the local days of the range, all of them complete. */
function daysOf({ from, to }: Hours, timezone: string): Hours {
  const first = zoned(from, timezone).startOfDay();
  const last = zoned(to - 1, timezone)
    .startOfDay()
    .add({ days: 1 });
  return utcDays({ from: hourDown(first.epochMilliseconds), to: hourDown(last.epochMilliseconds) });
}

/** Visitors are counted by UTC day; a day belongs to the bucket that contains its noon. In hours, like all spans here. */
function utcDays({ from, to }: Hours): Hours {
  const day = (hour: number) => Math.ceil((hour - 12) / 24) * 24;
  return { from: day(from), to: day(to) };
}

const overlap = (one: Hours, other: Hours): Hours => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to),
});

const hourDown = (instant: number): number => Math.floor(instant / hourLength);

const zoned = (instant: number, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);

const isoText = (start: Temporal.ZonedDateTime): string =>
  start.toString({ timeZoneName: 'never', smallestUnit: 'second' });
