import { expect, test } from 'bun:test';
import { Histogram } from './histogram.ts';

test('values count up to and including their bound, and the last count is the total', () => {
  const histogram = new Histogram([1, 5]);
  histogram.add(0.5);
  histogram.add(1);
  histogram.add(4, 3);
  histogram.add(6);
  expect(histogram.cumulative).toEqual([2, 5, 6]);
  expect(histogram.sum).toBe(0.5 + 1 + 12 + 6);
});
