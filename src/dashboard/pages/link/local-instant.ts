const two = (part: number): string => String(part).padStart(2, '0');

/** An instant as a date-time field of the browser has it: by the clock on the visitor's wall. */
export function localOf(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  const year = String(at.getFullYear()).padStart(4, '0');
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Null for a text that names no instant. An hour that the clocks jump over is the one after it. */
export function instantOfLocal(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "in 3 days": counted finely enough to see a slip of the month, and never as "tomorrow", which has its own midnight. */
export function distanceTo(iso: string, now = Date.now()): string {
  const away = Date.parse(iso) - now;
  const size = Math.abs(away);
  const of = (unit: Intl.RelativeTimeFormatUnit, length: number) =>
    relative.format(Math.round(away / length), unit);
  if (size < hour) return of('minute', minute);
  if (size < 2 * day) return of('hour', hour);
  if (size < 90 * day) return of('day', day);
  return size < 730 * day ? of('month', 30.44 * day) : of('year', 365.25 * day);
}

/** The same hour of the clock, so many days on: also over a change of the clocks. */
export function inDays(days: number, now = new Date()): string {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  at.setSeconds(0, 0);
  return at.toISOString();
}
