import { expect, test } from 'bun:test';
import { restartDelay } from './restart-delay.ts';

const pauses = (facts: { hasServed: boolean; isLast: boolean }) =>
  Array.from({ length: 9 }, (_, failures) => restartDelay({ failures, ...facts }));

test('while others run, a worker waits longer after each failure, up to five seconds', () => {
  const expected = [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000];
  expect(pauses({ hasServed: true, isLast: false })).toEqual(expected);
  expect(pauses({ hasServed: false, isLast: false })).toEqual(expected);
});

test('the last running worker is restarted at once, however often it has ended', () => {
  expect(new Set(pauses({ hasServed: true, isLast: true }))).toEqual(new Set([0]));
});

test("a worker that can't start is tried four times a second if it is the only one", () => {
  expect(pauses({ hasServed: false, isLast: true })).toEqual([100, 200, ...Array(7).fill(250)]);
});
