import { expect, test } from 'bun:test';
import { TwoGenerationTable } from './two-generation-table.ts';

test('a value is found until two generations later', () => {
  const table = new TwoGenerationTable(10);
  table.set(7, 70);
  table.rotate();
  expect(table.get(7)).toBe(70);
  table.set(7, 71);
  expect(table.get(7)).toBe(71);
  table.rotate();
  table.rotate();
  expect([table.get(7), table.size]).toEqual([-1, 0]);
});

test('of very many keys the latest are found, and at most two generations are kept', () => {
  const table = new TwoGenerationTable(1_000);
  for (let key = 0; key < 50_000; key++) table.set(key, key);
  expect(table.size).toBeLessThanOrEqual(2_000);
  for (let key = 49_000; key < 50_000; key++) expect(table.get(key)).toBe(key);
  expect(table.get(47_000)).toBe(-1);
});

test('a key that is used again survives its generation', () => {
  const table = new TwoGenerationTable(10);
  expect([table.testAndAdd(1), table.testAndAdd(1)]).toEqual([false, true]);
  for (let key = 2; key < 200; key++) {
    expect(table.testAndAdd(key)).toBe(false);
    expect(table.testAndAdd(1)).toBe(true);
  }
  table.clear();
  expect(table.testAndAdd(1)).toBe(false);
});
