import { expect, test } from 'bun:test';
import { restartPause } from './restart-pause.ts';

const pauses = (facts: { hasServed: boolean; isLast: boolean }) =>
  Array.from({ length: 9 }, (_, failures) => restartPause({ failures, ...facts }));

test('beside others a worker waits longer from one failure to the next, up to five seconds', () => {
  const expected = [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000];
  expect(pauses({ hasServed: true, isLast: false })).toEqual(expected);
  expect(pauses({ hasServed: false, isLast: false })).toEqual(expected);
});

test('the last one that served is started again at once, however often it has ended', () => {
  expect(new Set(pauses({ hasServed: true, isLast: true }))).toEqual(new Set([0]));
});

test('one that can not start is tried four times a second while it is alone', () => {
  expect(pauses({ hasServed: false, isLast: true })).toEqual([100, 200, ...Array(7).fill(250)]);
});
