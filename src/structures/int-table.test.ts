import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { IntTable } from './int-table.ts';

const key = fc.oneof(fc.nat({ max: 500 }), fc.integer({ min: 0, max: 2 ** 53 - 1 }));
const value = fc.nat({ max: 1_000 });
const step = fc.tuple(fc.constantFrom('set', 'add'), key, value);

test('a table has the same entries as a Map, for any number of keys, and none after clearing', () => {
  const table = new IntTable(4);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3_000, size: 'max' }), (steps) => {
      table.clear();
      const expected = new Map<number, number>();
      for (const [kind, key, value] of steps) {
        const before = expected.get(key);
        expect(table.get(key)).toBe(before ?? -1);
        expected.set(key, kind === 'add' ? (before ?? 0) + value : value);
        if (kind === 'add') expect(table.add(key, value)).toBe(before === undefined);
        else table.set(key, value);
      }
      expect(table.size).toBe(expected.size);
      for (const [key, value] of expected) expect(table.get(key)).toBe(value);
    }),
    { numRuns: 30 },
  );
});

test('a table that was large works for small uses too', () => {
  const table = new IntTable(4);
  for (const size of [5_000, 2, 700, 1]) {
    table.clear();
    for (let key = 0; key < size; key++) table.set(key, key + 1);
    expect([table.size, table.get(size - 1), table.get(size)]).toEqual([size, size, -1]);
  }
});
