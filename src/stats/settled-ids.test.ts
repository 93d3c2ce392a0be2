import { expect, test } from 'bun:test';
import { SettledIds } from './settled-ids.ts';

const rows = (...ids: number[]) => ids.map((id) => ({ id }));

test('ids without a gap are told at once', () => {
  const settled = new SettledIds(10);
  expect(settled.take(rows(11, 12, 13), 0)).toEqual(rows(11, 12, 13));
  expect(settled.upTo).toBe(13);
});

test('what lies behind a gap waits for it, and then comes in order', () => {
  const settled = new SettledIds(10);
  expect(settled.take(rows(11, 13), 0)).toEqual(rows(11));
  expect(settled.take(rows(13, 14), 1_000)).toEqual([]);
  expect(settled.take(rows(12, 13, 14), 2_000)).toEqual(rows(12, 13, 14));
  expect(settled.upTo).toBe(14);
});

test('a gap that is never filled is passed after a while, and with it all that were seen by then', () => {
  const settled = new SettledIds(10);
  expect(settled.take(rows(12, 14), 0)).toEqual([]);
  expect(settled.take(rows(12, 14, 16), 4_999)).toEqual([]);
  expect(settled.take(rows(12, 14, 16), 5_000)).toEqual(rows(12, 14));
  expect(settled.take(rows(16), 9_998)).toEqual([]);
  expect(settled.take(rows(16), 9_999)).toEqual(rows(16));
});

test('where one process writes at a time, a gap is of hits that are gone, and is passed at once', () => {
  const settled = new SettledIds(10, 'one');
  expect(settled.take(rows(12, 14), 0)).toEqual(rows(12, 14));
  expect(settled.take(rows(16), 1)).toEqual(rows(16));
});
