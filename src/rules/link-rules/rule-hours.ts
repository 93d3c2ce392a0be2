import { minuteLength } from '../durations.ts';
import { type RuleHours, weekdays } from './rule-fields.ts';

/** A moment by the clock of a time zone. */
interface LocalMinute {
  /** An index in `weekdays`. */
  readonly day: number;
  /** Since midnight. */
  readonly minute: number;
}

export const minutesInDay = 24 * 60;
const week = 7;

/** "09:30" in minutes; 24:00 is the end of a day. */
export function readTime(text: string): number | null {
  const [, hours, minutes] = /^(\d{2}):([0-5]\d)$/.exec(text) ?? [];
  const read = Number(hours) * 60 + Number(minutes);
  return hours === undefined || read > minutesInDay ? null : read;
}

export function hoursCondition({ timezone, days = weekdays, from = '00:00', to = '24:00' }: RuleHours) {
  const [start, end] = [readTime(from) ?? 0, readTime(to) ?? minutesInDay];
  const isIncluded = weekdays.map((day) => days.includes(day));
  const localOf = clockOf(timezone);
  const matches = (_: unknown, now: number): boolean => {
    const { day, minute } = localOf(now);
    const yesterday = (day + week - 1) % week;
    if (start < end) return isIncluded[day] === true && minute >= start && minute < end;
    return (isIncluded[day] === true && minute >= start) || (isIncluded[yesterday] === true && minute < end);
  };
  const saw = (_: unknown, now: number): string => {
    const { day, minute } = localOf(now);
    const padded = (part: number) => String(part).padStart(2, '0');
    return `${weekdays[day]} ${padded(Math.floor(minute / 60))}:${padded(minute % 60)}`;
  };
  return { matches, saw };
}

type Clock = (now: number) => LocalMinute;

/** By the name in lower case: names are valid in any case, and there are only a few hundred time zones. */
const clocks = new Map<string, Clock>();

function clockOf(timezone: string): Clock {
  const name = timezone.toLowerCase();
  const known = clocks.get(name);
  if (known) return known;
  const clock = makeClock(timezone);
  clocks.set(name, clock);
  return clock;
}

/** Formatting takes microseconds, so the result is cached for the rest of its minute. */
function makeClock(timezone: string): Clock {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  let lastMinute = Number.NaN;
  let last: LocalMinute = { day: 0, minute: 0 };
  return (now) => {
    const minute = Math.floor(now / minuteLength);
    if (minute !== lastMinute) {
      const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
      const day = weekdays.findIndex((name) => parts.weekday?.toLowerCase().startsWith(name));
      last = { day, minute: Number(parts.hour) * 60 + Number(parts.minute) };
      lastMinute = minute;
    }
    return last;
  };
}
