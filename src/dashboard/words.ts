/** How numbers, dates and amounts are written everywhere in the dashboard. */
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dayForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const instantForm = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const sinceForm = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export const number = (value: number): string => whole.format(value);

/** 12.3K where there is no room for more. */
export const compact = (value: number): string =>
  value < 10_000 ? whole.format(value) : short.format(value);

/** "1 link", "1,204 links". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`;

/** An instant of the API: ISO 8601, or `2030-01-31_09-30-00` in UTC. */
export function instantOf(text: string): Date {
  const stamp = /^(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d)$/.exec(text);
  return new Date(stamp ? `${stamp[1]}T${stamp[2]}:${stamp[3]}:${stamp[4]}Z` : text);
}

export const day = (text: string): string => dayForm.format(instantOf(text));
export const instant = (text: string): string => instantForm.format(instantOf(text));

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** "3 minutes ago", "in 2 days". */
export function since(text: string, now = Date.now()): string {
  const seconds = Math.round((instantOf(text).getTime() - now) / 1000);
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return sinceForm.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

/** An address as people read it: without the scheme. */
export const bare = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');
