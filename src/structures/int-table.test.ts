import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { IntTable } from './int-table.ts';

test('every number has the place that it was given, also when there are many, and none after a clearing', () => {
  const places = new IntTable();
  const key = fc.oneof(fc.nat({ max: 5_000 }), fc.integer({ min: 0, max: 2 ** 52 }));
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 3_000, size: 'max' }), (keys) => {
      places.clear();
      for (const [place, each] of keys.entries()) {
        expect(places.placeOf(each)).toBe(-1);
        places.add(each, place);
      }
      expect(keys.map((each) => places.placeOf(each))).toEqual([...keys.keys()]);
    }),
  );
});
