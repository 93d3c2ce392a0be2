import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isInSorted } from './is-in-sorted.ts';

test('a number is found if the list has it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (list, value) => {
      const sorted = list.toSorted((one, other) => one - other);
      expect(isInSorted(sorted)(value)).toBe(list.includes(value));
    }),
  );
});
