import { clockTimeOf, dayOf } from '../../format.ts';

/** The value of a `datetime-local` field for an instant, in the visitor's time zone. */
export function localOf(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return `${dayOf(at)}T${clockTimeOf(at)}`;
}

/** Null for a text that is no instant. An hour that the clocks skip becomes the one after it. */
export function instantOfLocal(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "in 3 days": precise enough to notice a wrong month, and never "tomorrow", which would depend on midnight. */
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

/** The same time of day some days later, even across a change of the clocks. */
export function inDays(days: number, now = new Date()): string {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  at.setSeconds(0, 0);
  return at.toISOString();
}

/** The time some hours later, without its seconds. */
export function inHours(hours: number, now = Date.now()): string {
  const at = new Date(now + hours * hour);
  at.setSeconds(0, 0);
  return at.toISOString();
}
