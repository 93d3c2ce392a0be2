import { expect, test } from 'bun:test';
import { buffered } from './random-text.ts';

test('bytes that were fetched in advance are used once each, in order', () => {
  let next = 0;
  const fetched: number[] = [];
  const counting = (count: number) => {
    fetched.push(count);
    return Uint8Array.from({ length: count }, () => next++);
  };
  const bytes = buffered(counting, 10);
  expect([...bytes(4), ...bytes(6)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([...bytes(7)]).toEqual([10, 11, 12, 13, 14, 15, 16]);
  // Fewer than four fetched bytes are left: they are dropped, and never used again.
  expect([...bytes(4)]).toEqual([20, 21, 22, 23]);
  expect([...bytes(12)]).toEqual(Array.from({ length: 12 }, (_, index) => 30 + index));
  expect(fetched).toEqual([10, 10, 10, 12]);
});
