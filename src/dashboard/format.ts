const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
/** 8 Nov */
export const dayAndMonth = { day: 'numeric', month: 'short' } as const;
/** 8 Nov 2026 */
export const date = { ...dayAndMonth, year: 'numeric' } as const;
/** 09:05 */
export const hourAndMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
export const dateForm = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', options);
export const dayForm = dateForm(date);
export const shortDayForm = dateForm(dayAndMonth);
const instantForm = dateForm({ ...date, ...hourAndMinute });
const sinceForm = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** "Etc/Unknown" if the browser can't find it out: no server knows that name, and the browser's own times are then those of UTC. */
const reportedTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
export const timezone = !reportedTimezone || reportedTimezone === 'Etc/Unknown' ? 'UTC' : reportedTimezone;

export const number = (value: number): string => whole.format(value);

/** A short form of a number: 12.3K. */
export const compact = (value: number): string =>
  value < 10_000 ? whole.format(value) : short.format(value);

/** "1 link", "1,204 links". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`;

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

/** A day of the visitor's timezone as `2026-11-20`. */
export const dayOf = (at: Date): string =>
  `${padded(at.getFullYear(), 4)}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;

/** A time of the visitor's timezone as `09:05`. */
export const clockTimeOf = (at: Date): string => `${padded(at.getHours())}:${padded(at.getMinutes())}`;

/** An instant of the API: ISO 8601, or `2030-01-31_09-30-00` in UTC. */
export function instantOf(text: string): Date {
  const stamp = /^(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d)$/.exec(text);
  return new Date(stamp ? `${stamp[1]}T${stamp[2]}:${stamp[3]}:${stamp[4]}Z` : text);
}

export const day = (text: string): string => dayForm.format(instantOf(text));
export const instant = (text: string): string => instantForm.format(instantOf(text));

/** Whether a date, such as a link's expiration, has come. */
export const hasPassed = (at: string | null): at is string =>
  at !== null && instantOf(at).getTime() <= Date.now();

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Two weeks are still "in 2 weeks" some hours later. */
const slack = 0.05;

/**
 * "3 minutes ago", "in 2 days". Never "yesterday" or "next week", which would depend on midnight and on the weekday. Rounded down: what
 * is to come may be a deadline.
 */
export function since(text: string, now = Date.now()): string {
  const seconds = Math.round((instantOf(text).getTime() - now) / 1000);
  for (const [unit, length] of units) {
    const amount = seconds / length;
    if (Math.abs(amount) >= 1)
      return sinceForm.format(amount < 0 ? Math.ceil(amount) : Math.floor(amount + slack), unit);
  }
  return 'just now';
}

/** An address for people, without its scheme. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');
