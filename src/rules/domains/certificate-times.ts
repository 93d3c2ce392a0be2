import { dayLength, hourLength, minuteLength, secondLength } from '../durations.ts';

const week = 7 * dayLength;

/** Orders of one name per week. Authorities issue five certificates for the same names in that time. */
const maxOrdersAWeek = 5;

/**
 * When a certificate is renewed: after two thirds of its life, or up to a fiftieth of it earlier, so that many that were issued
 * together aren't due together.
 */
export function renewalAt(from: number, until: number, random: () => number): number {
  const life = until - from;
  return Math.round(from + (life * 2) / 3 - life * 0.02 * random());
}

const delays = [
  5 * minuteLength,
  15 * minuteLength,
  hourLength,
  3 * hourLength,
  6 * hourLength,
  12 * hourLength,
  dayLength,
];
/** For failures of the authority itself. */
const shortDelays = [minuteLength, 2 * minuteLength, 5 * minuteLength, 15 * minuteLength, hourLength];

interface Failure {
  readonly isUnavailable: boolean;
  readonly retryAt: number | null;
  /** The number of challenge types for a name: the others are tried at once, while its first visitor waits. */
  readonly challengeTypes: number;
}

/** When to retry an order that has failed `failures` times: never before the authority allows it. */
export function nextTryAt(
  now: number,
  failures: number,
  { isUnavailable, retryAt, challengeTypes }: Failure,
  random: () => number,
): number {
  const steps = isUnavailable ? shortDelays : delays;
  const step = Math.min(failures - challengeTypes, steps.length - 1);
  const delay = step < 0 ? secondLength : (steps[step] ?? minuteLength);
  return Math.max(now + Math.round(delay * (1 + 0.2 * random())), Math.min(retryAt ?? 0, now + week));
}

/** The stored orders of the last week, without those from a time when the clock was wrong. */
export const recentOrders = (orders: string, now: number): readonly number[] =>
  orders
    .split(' ')
    .map(Number)
    .filter((at) => at > now - week && at < now + dayLength);

/** The longest delay of a retry. */
export const maxRetryDelay = 8 * dayLength;

/** When the next order is allowed; null for now. */
export function orderAllowedAt(orders: readonly number[]): number | null {
  const oldest = orders.at(-maxOrdersAWeek);
  return oldest === undefined ? null : oldest + week;
}
