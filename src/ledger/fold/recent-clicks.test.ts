import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { mergedClicks, packClicks, unpackClicks } from './recent-clicks.ts';

const at = Date.UTC(2026, 5, 1);
const pair = fc.tuple(fc.integer({ min: 0, max: 2 ** 52 - 1 }), fc.integer({ min: at, max: at + 10_000 }));

test('clicks are read as they were packed, at any alignment, and merged in the order of their instants', () => {
  fc.assert(
    fc.property(fc.array(fc.array(pair, { minLength: 1, maxLength: 20 }), { maxLength: 5 }), (claims) => {
      const read = claims.map((clicks) => {
        const packed = packClicks(Float64Array.from(clicks.flat()));
        const shifted = new Uint8Array(packed.length + 3);
        shifted.set(packed, 3);
        return unpackClicks(shifted.subarray(3));
      });
      for (const [index, { keys, instants }] of read.entries())
        expect(Array.from(keys, (key, click) => [key, instants[click] ?? 0])).toEqual(claims[index] ?? []);
      const merged = mergedClicks(read, at + 1_000, at + 9_000);
      expect(Array.from(merged.keys, (key, click) => `${merged.instants[click]} ${key}`)).toEqual(
        claims
          .flat()
          .filter(([, instant]) => instant >= at + 1_000 && instant < at + 9_000)
          .toSorted(([, one], [, other]) => one - other)
          .map(([key, instant]) => `${instant} ${key}`),
      );
    }),
  );
});
