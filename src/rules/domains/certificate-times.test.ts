import { expect, test } from 'bun:test';
import { dayLength, minuteLength } from '../durations.ts';
import { nextTryAt, orderAllowedAt, recentOrders, renewalAt } from './certificate-times.ts';

test('a certificate is renewed after two thirds of its lifetime, or randomly a little earlier', () => {
  expect(renewalAt(1_000 * dayLength, 1_090 * dayLength, () => 0)).toBe(1_060 * dayLength);
  expect(renewalAt(1_000 * dayLength, 1_090 * dayLength, () => 1)).toBeCloseTo(1_058.2 * dayLength, -3);
});

test('retries after failures get less frequent, and are never earlier than the authority allows', () => {
  const delayAfter = (failures: number, isUnavailable = false, retryAt: number | null = null, random = 0) =>
    nextTryAt(0, failures, { isUnavailable, retryAt, challengeTypes: 1 }, () => random) / minuteLength;
  const steps = [1, 2, 3, 4, 5, 6, 7, 50];
  expect(steps.map((failures) => delayAfter(failures))).toEqual([5, 15, 60, 180, 360, 720, 1440, 1440]);
  expect(steps.map((failures) => delayAfter(failures, true))).toEqual([1, 2, 5, 15, 60, 60, 60, 60]);
  expect(delayAfter(3, false, null, 1)).toBe(72);
  expect(delayAfter(1, false, 3 * dayLength)).toBe((3 * dayLength) / minuteLength);
  // An authority's date is followed only up to a limit.
  expect(delayAfter(1, false, 1_000 * dayLength)).toBe((7 * dayLength) / minuteLength);
});

test('if a name can be validated in another way, that is tried at once', () => {
  const delayAfter = (failures: number, retryAt: number | null = null) =>
    nextTryAt(0, failures, { isUnavailable: false, retryAt, challengeTypes: 2 }, () => 0);
  expect([1, 2, 3, 50].map((failures) => delayAfter(failures))).toEqual([
    1_000,
    5 * minuteLength,
    15 * minuteLength,
    dayLength,
  ]);
  expect(delayAfter(1, dayLength)).toBe(dayLength);
});

test('a name is ordered at most five times a week', () => {
  const now = 100 * dayLength;
  const orders = [92, 94, 95, 96, 97, 98].map((at) => at * dayLength);
  const recent = recentOrders(orders.join(' '), now);
  expect(recent).toEqual(orders.slice(1));
  expect(orderAllowedAt(recent)).toBe(101 * dayLength);
  expect(orderAllowedAt(recent.slice(1))).toBeNull();
  expect(recentOrders('', now)).toEqual([]);
});
