import { expect, test } from 'bun:test';
import { nextTryAt, orderAllowedAt, recentOrders, renewalAt } from './certificate-times.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('a certificate is renewed after two thirds of its lifetime, or randomly a little earlier', () => {
  expect(renewalAt(1_000 * day, 1_090 * day, () => 0)).toBe(1_060 * day);
  expect(renewalAt(1_000 * day, 1_090 * day, () => 1)).toBeCloseTo(1_058.2 * day, -3);
});

test('retries after failures get less frequent, and are never earlier than the authority allows', () => {
  const delayAfter = (failures: number, isAway = false, retryAt: number | null = null, random = 0) =>
    nextTryAt(0, failures, { isAway, retryAt, challengeTypes: 1 }, () => random) / minute;
  const steps = [1, 2, 3, 4, 5, 6, 7, 50];
  expect(steps.map((failures) => delayAfter(failures))).toEqual([5, 15, 60, 180, 360, 720, 1440, 1440]);
  expect(steps.map((failures) => delayAfter(failures, true))).toEqual([1, 2, 5, 15, 60, 60, 60, 60]);
  expect(delayAfter(3, false, null, 1)).toBe(72);
  expect(delayAfter(1, false, 3 * day)).toBe((3 * day) / minute);
  // An authority's date is followed only up to a limit.
  expect(delayAfter(1, false, 1_000 * day)).toBe((7 * day) / minute);
});

test('if a name can be validated in another way, that is tried at once', () => {
  const delayAfter = (failures: number, retryAt: number | null = null) =>
    nextTryAt(0, failures, { isAway: false, retryAt, challengeTypes: 2 }, () => 0);
  expect([1, 2, 3, 50].map((failures) => delayAfter(failures))).toEqual([
    1_000,
    5 * minute,
    15 * minute,
    day,
  ]);
  expect(delayAfter(1, day)).toBe(day);
});

test('a name is ordered at most five times a week', () => {
  const now = 100 * day;
  const orders = [92, 94, 95, 96, 97, 98].map((at) => at * day);
  const recent = recentOrders(orders.join(' '), now);
  expect(recent).toEqual(orders.slice(1));
  expect(orderAllowedAt(recent)).toBe(101 * day);
  expect(orderAllowedAt(recent.slice(1))).toBeNull();
  expect(recentOrders('', now)).toEqual([]);
});
