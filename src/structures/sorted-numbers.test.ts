import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { firstNotBelow, isInSorted } from './sorted-numbers.ts';

const sortedNumbers = fc.array(fc.nat(50)).map((list) => list.toSorted((one, other) => one - other));

test('a number is found if the list has it', () => {
  fc.assert(
    fc.property(sortedNumbers, fc.nat(50), (sorted, value) => {
      expect(isInSorted(sorted)(value)).toBe(sorted.includes(value));
    }),
  );
});

test('the first number that is not below another is found, or the end', () => {
  fc.assert(
    fc.property(sortedNumbers, fc.nat(51), (sorted, min) => {
      const index = sorted.findIndex((number) => number >= min);
      expect(firstNotBelow(sorted, min)).toBe(index === -1 ? sorted.length : index);
      expect(firstNotBelow(Float64Array.from(sorted), min)).toBe(firstNotBelow(sorted, min));
    }),
  );
});
