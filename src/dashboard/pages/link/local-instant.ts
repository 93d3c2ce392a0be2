import { dayLength, hourLength, minuteLength } from '../../../rules/durations.ts';
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

/** "in 3 days": precise enough to notice a wrong month, and never "tomorrow", which would depend on midnight. */
export function distanceTo(iso: string, now = Date.now()): string {
  const away = Date.parse(iso) - now;
  const size = Math.abs(away);
  const of = (unit: Intl.RelativeTimeFormatUnit, length: number) =>
    relative.format(Math.round(away / length), unit);
  if (size < hourLength) return of('minute', minuteLength);
  if (size < 2 * dayLength) return of('hour', hourLength);
  if (size < 90 * dayLength) return of('day', dayLength);
  return size < 730 * dayLength ? of('month', 30.44 * dayLength) : of('year', 365.25 * dayLength);
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
  const at = new Date(now + hours * hourLength);
  at.setSeconds(0, 0);
  return at.toISOString();
}
