import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { NumberSet } from './number-set.ts';

const number = fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 2 ** 52 - 1 }));

test('it contains what a set contains, for any number of values, and nothing after clearing', () => {
  const set = new NumberSet();
  fc.assert(
    fc.property(fc.array(number, { maxLength: 20_000, size: 'max' }), (numbers) => {
      set.clear();
      const plain = new Set<number>();
      for (const one of numbers) {
        expect(set.has(one)).toBe(plain.has(one));
        expect(set.add(one)).toBe(!plain.has(one));
        plain.add(one);
      }
      expect(set.size).toBe(plain.size);
      for (const one of plain) if (!set.has(one)) throw new Error(`${one} is gone`);
    }),
    { numRuns: 20 },
  );
});
