import { expect, test } from 'bun:test';
import { dayOf } from '../../rules/utc-time.ts';
import { firstDayOfSalts } from './retention.ts';

test("yesterday's visitors are distinguished for an hour, for clicks that waited at midnight", () => {
  const today = dayOf(Date.UTC(2026, 5, 2));
  expect(firstDayOfSalts(Date.UTC(2026, 5, 2, 0, 59, 59))).toBe(today - 1);
  expect(firstDayOfSalts(Date.UTC(2026, 5, 2, 1))).toBe(today);
  expect(firstDayOfSalts(Date.UTC(2026, 5, 2, 23, 59))).toBe(today);
});
