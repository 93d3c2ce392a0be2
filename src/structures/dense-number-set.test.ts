import { expect, test } from 'bun:test';
import { DenseNumberSet } from './dense-number-set.ts';

/** Evenly distributed numbers of 52 bits, the same each time. */
function* spread(count: number): Generator<number> {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  for (let index = 0; index < count; index++) yield (next() % 2 ** 26) * 2 ** 26 + (next() % 2 ** 26);
}

test('a set contains the same numbers as a Set, before and after its buckets grow, and none after clearing', () => {
  const set = new DenseNumberSet();
  for (const count of [900_000, 1_000]) {
    set.clear();
    const expected = new Set<number>();
    const add = (number: number) => {
      if (set.add(number) === expected.has(number)) throw new Error(`${number} is in only one of the sets`);
      expected.add(number);
    };
    for (const number of spread(count)) add(number);
    // Many in one bucket, and the extremes.
    for (let low = 0; low < 300; low++) add(7 * 2 ** 32 + low);
    for (const number of [0, 2 ** 52 - 1, 2 ** 32 - 1, 2 ** 31, 0, 2 ** 52 - 1]) add(number);
    for (const number of spread(1_000)) add(number);
    expect(set.size).toBe(expected.size);
    for (const number of expected) if (!set.has(number)) throw new Error(`${number} is missing`);
    for (const number of spread(1_000)) expect(set.has(number + 1)).toBe(expected.has(number + 1));
  }
  set.clear();
  expect([set.size, set.has(0), set.has(7 * 2 ** 32)]).toEqual([0, false, false]);
});
