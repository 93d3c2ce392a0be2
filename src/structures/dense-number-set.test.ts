import { expect, test } from 'bun:test';
import { DenseNumberSet } from './dense-number-set.ts';

/** Evenly distributed numbers of 52 bits, the same each time. */
function* spread(count: number): Generator<number> {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  for (let made = 0; made < count; made++) yield (next() % 2 ** 26) * 2 ** 26 + (next() % 2 ** 26);
}

test('it contains what a set contains, before and after its buckets grow, and nothing after clearing', () => {
  const set = new DenseNumberSet();
  for (const count of [900_000, 1_000]) {
    set.clear();
    const plain = new Set<number>();
    const add = (number: number) => {
      if (set.add(number) === plain.has(number)) throw new Error(`${number} is there, or isn't`);
      plain.add(number);
    };
    for (const number of spread(count)) add(number);
    // Many in one bucket, and the extremes.
    for (let low = 0; low < 300; low++) add(7 * 2 ** 32 + low);
    for (const number of [0, 2 ** 52 - 1, 2 ** 32 - 1, 2 ** 31, 0, 2 ** 52 - 1]) add(number);
    for (const number of spread(1_000)) add(number);
    expect(set.size).toBe(plain.size);
    for (const number of plain) if (!set.has(number)) throw new Error(`${number} is gone`);
    for (const number of spread(1_000)) expect(set.has(number + 1)).toBe(plain.has(number + 1));
  }
  set.clear();
  expect([set.size, set.has(0), set.has(7 * 2 ** 32)]).toEqual([0, false, false]);
});
