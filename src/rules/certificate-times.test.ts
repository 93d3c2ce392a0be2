import { expect, test } from 'bun:test';
import { nextTryAt, orderAllowedAt, recentOrders, renewalAt } from './certificate-times.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('a certificate is renewed after two thirds of its lifetime, or randomly a little earlier', () => {
  expect(renewalAt(0, 90 * day, () => 0)).toBe(60 * day);
  expect(renewalAt(0, 90 * day, () => 1)).toBeCloseTo(58.2 * day, -3);
});

test('retries after failures get less frequent, and are never earlier than the authority allows', () => {
  const delayAfter = (failures: number, isAway = false, retryAt: number | null = null) =>
    nextTryAt(0, failures, { isAway, retryAt, challengeTypes: 1 }, () => 0) / minute;
  expect([1, 2, 3, 7, 50].map((failures) => delayAfter(failures))).toEqual([5, 15, 60, 1440, 1440]);
  expect([1, 5, 50].map((failures) => delayAfter(failures, true))).toEqual([1, 60, 60]);
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
