import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { NumberSet } from './number-set.ts';

const number = fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 2 ** 52 - 1 }));

test('a set contains the same values as a Set, for any number of values, and none after clearing', () => {
  const set = new NumberSet();
  fc.assert(
    fc.property(fc.array(number, { maxLength: 20_000, size: 'max' }), (numbers) => {
      set.clear();
      const expected = new Set<number>();
      for (const value of numbers) {
        expect(set.has(value)).toBe(expected.has(value));
        expect(set.add(value)).toBe(!expected.has(value));
        expected.add(value);
      }
      expect(set.size).toBe(expected.size);
      for (const value of expected) if (!set.has(value)) throw new Error(`${value} is missing`);
    }),
    { numRuns: 20 },
  );
});
