import type { Stats } from '../api-types.ts';
import { date, dateForm, dayAndMonth } from '../format.ts';

type Interval = Stats['interval'];

export interface Point {
  /** The start of its interval, in full. */
  readonly name: string;
  /** The same in short, for the axis. */
  readonly tick: string;
  readonly hits: number;
  readonly visitors: number | null;
  readonly notCounted: number | null;
}

const utc = { timeZone: 'UTC' } as const;
const dayForm = dateForm({ weekday: 'short', ...date, ...utc });
const wholeForm = dateForm({ ...date, ...utc });
const shortForm = dateForm({ ...dayAndMonth, ...utc });
const monthForm = dateForm({ month: 'long', year: 'numeric', ...utc });
const shortMonthForm = dateForm({ month: 'short', ...utc });

/**
 * A bucket's start is written with the offset of the zone, so its date and time are the local ones. `before` is the start of the
 * previous one.
 */
function namesOf(start: string, interval: Interval, before = ''): Pick<Point, 'name' | 'tick'> {
  const day = new Date(`${start.slice(0, 10)}T00:00:00Z`);
  const time = start.slice(11, 16);
  // The clocks have been set back.
  const isRepeated = before.slice(0, 16) === start.slice(0, 16);
  if (interval === 'hour')
    return {
      name: `${dayForm.format(day)}, ${time}${isRepeated ? ' again' : ''}`,
      tick: time === '00:00' ? shortForm.format(day) : time,
    };
  if (interval === 'day') return { name: dayForm.format(day), tick: shortForm.format(day) };
  if (interval === 'week') return { name: `Week of ${wholeForm.format(day)}`, tick: shortForm.format(day) };
  const tick = start.slice(5, 7) === '01' ? start.slice(0, 4) : shortMonthForm.format(day);
  return { name: monthForm.format(day), tick };
}

export const pointsOf = ({ series, interval }: Stats, countsOtherHits: boolean): readonly Point[] =>
  series.map(({ start, clicks, visitors, not_counted }, index) => ({
    ...namesOf(start, interval, series[index - 1]?.start),
    hits: clicks + (countsOtherHits ? (not_counted ?? 0) : 0),
    visitors: countsOtherHits ? null : visitors,
    notCounted: countsOtherHits ? null : not_counted,
  }));

/** Where a new counting rule takes effect: the index of the point, and its text. */
export interface Mark {
  readonly index: number;
  readonly sentence: string;
}

export const marksOf = ({ series, rule_changes }: Stats): readonly Mark[] =>
  rule_changes.map(({ at, sentence }) => ({
    index: Math.max(
      0,
      series.findLastIndex(({ start }) => Date.parse(start) <= Date.parse(at)),
    ),
    sentence,
  }));

const steps = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 56, 84, 120, 168];

/** The indexes of the points with a label: evenly spaced, and hours at even times. */
export function labelIndexes(points: readonly Pick<Point, 'tick'>[], max: number): readonly number[] {
  const needed = Math.ceil(points.length / Math.max(1, max));
  const step = steps.find((one) => one >= needed) ?? needed;
  const midnight = points.findIndex(({ tick }) => tick === '00:00' || /[A-Z]/i.test(tick));
  const isByHour = points.some(({ tick }) => tick.includes(':'));
  const first = isByHour && midnight > 0 ? midnight % step : 0;
  return Array.from(
    { length: Math.ceil((points.length - first) / step) },
    (_, index) => first + index * step,
  );
}

/** The ticks of the axis: a few round whole numbers, from zero to just above the highest. */
export function scaleFor(highest: number): readonly number[] {
  const rough = Math.max(1, highest) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power);
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * step));
}
