import { expect, test } from 'bun:test';
import { SettledIds } from './settled-ids.ts';

const rows = (...ids: number[]) => ids.map((id) => ({ id }));

test('consecutive ids are returned at once', () => {
  const settled = new SettledIds(10);
  expect(settled.take(rows(11, 12, 13), 0)).toEqual(rows(11, 12, 13));
  expect(settled.upTo).toBe(13);
});

test('ids behind a gap wait for it, and are then returned in order', () => {
  const settled = new SettledIds(10);
  expect(settled.take(rows(11, 13), 0)).toEqual(rows(11));
  expect(settled.take(rows(13, 14), 1_000)).toEqual([]);
  expect(settled.take(rows(12, 13, 14), 2_000)).toEqual(rows(12, 13, 14));
  expect(settled.upTo).toBe(14);
});

test('an unfilled gap is skipped after a while, with all ids that were seen by then', () => {
  const settled = new SettledIds(10);
  expect(settled.take(rows(12, 14), 0)).toEqual([]);
  expect(settled.take(rows(12, 14, 16), 4_999)).toEqual([]);
  expect(settled.take(rows(12, 14, 16), 5_000)).toEqual(rows(12, 14));
  expect(settled.take(rows(16), 9_998)).toEqual([]);
  expect(settled.take(rows(16), 9_999)).toEqual(rows(16));
});

test('with a single writer, a gap means deleted hits, and is skipped at once', () => {
  const settled = new SettledIds(10, 'one');
  expect(settled.take(rows(12, 14), 0)).toEqual(rows(12, 14));
  expect(settled.take(rows(16), 1)).toEqual(rows(16));
});
