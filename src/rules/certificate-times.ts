const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

/** Orders of one name in a week. Authorities give five certificates of the same names in that time. */
const maxOrdersAWeek = 5;

/** When a certificate is renewed: after two thirds of its life, or up to a fiftieth of it earlier, so that many that were made together aren't due together. */
export function renewalAt(from: number, until: number, random: () => number): number {
  const life = until - from;
  return Math.round(from + (life * 2) / 3 - life * 0.02 * random());
}

const delays = [5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day];
/** Where the authority itself was away: nothing of ours is wrong. */
const shortDelays = [minute, 2 * minute, 5 * minute, 15 * minute, hour];

interface Failure {
  readonly isAway: boolean;
  readonly retryAt: number | null;
  /** In how many ways a name can be proved: the others are tried at once, while its first visitor waits. */
  readonly ways: number;
}

/** When an order that failed is tried again, for the so many-th time: never before the authority allows it. */
export function nextTryAt(
  now: number,
  failures: number,
  { isAway, retryAt, ways }: Failure,
  random: () => number,
): number {
  const steps = isAway ? shortDelays : delays;
  const step = Math.min(failures - ways, steps.length - 1);
  const delay = step < 0 ? second : (steps[step] ?? minute);
  return Math.max(now + Math.round(delay * (1 + 0.2 * random())), Math.min(retryAt ?? 0, now + week));
}

/** The orders of the last week, as they are stored; without those of a clock that was wrong. */
export const recentOrders = (orders: string, now: number): readonly number[] =>
  orders
    .split(' ')
    .map(Number)
    .filter((at) => at > now - week && at < now + day);

/** No try is put off for longer. */
export const maxPutOff = 8 * day;

/** When the next order is allowed; null for now. */
export function orderAllowedAt(orders: readonly number[]): number | null {
  const oldest = orders.at(-maxOrdersAWeek);
  return oldest === undefined ? null : oldest + week;
}
