import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Instants } from './instants.ts';

test('the instants of however many numbers are those of a map, and none is left after a clearing', () => {
  const instants = new Instants();
  const key = fc.oneof(fc.nat({ max: 500 }), fc.integer({ min: 0, max: 2 ** 53 - 1 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat()), { maxLength: 1_000, size: 'max' }), (steps) => {
      instants.clear();
      const plain = new Map<number, number>();
      for (const [each, instant] of steps) {
        expect(instants.get(each)).toBe(plain.get(each));
        instants.set(each, instant);
        plain.set(each, instant);
      }
      for (const [each, instant] of plain) expect(instants.get(each)).toBe(instant);
      expect(instants.size).toBe(plain.size);
    }),
  );
});
