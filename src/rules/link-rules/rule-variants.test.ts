import { describe, expect, test } from 'bun:test';
import { seedOf, variantBy, variantFor } from './rule-variants.ts';

const visitors = 100_000;
/** A 32-bit hash for each visitor, like those of `dayHash`. */
const hashes = Array.from({ length: visitors }, (_, index) => Bun.hash.xxHash32(`visitor ${index}`, 7));
const variants = (weights: Readonly<Record<string, number>>, rule = '1\nr_a') =>
  Object.entries(weights).map(([id, weight]) => ({ id, weight, to: id, seed: seedOf(`${rule}\n${id}`) }));
const chosen = (weights: Readonly<Record<string, number>>, rule?: string): string[] => {
  const all = variants(weights, rule);
  return hashes.map((hash) => variantFor(all, hash)?.id ?? 'none');
};
const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

/** Within five standard deviations of a share among that many visitors. */
const rangeAround = (expected: number): [number, number] => {
  const tolerance = 5 * Math.sqrt((expected * (1 - expected)) / visitors);
  return [expected - tolerance, expected + tolerance];
};
function expectNear(found: number, expected: number): void {
  const [least, most] = rangeAround(expected);
  expect(found).toBeGreaterThanOrEqual(least);
  expect(found).toBeLessThanOrEqual(most);
}

describe('variants for visitors', () => {
  test('are distributed by their weights', () => {
    for (const weights of [
      { a: 50, b: 50 },
      { a: 70, b: 30 },
      { a: 1, b: 2, c: 997 },
      { a: 1, b: 1, c: 1, d: 1, e: 1 },
    ]) {
      const found = chosen(weights);
      const sum = Object.values(weights).reduce((one, other) => one + other);
      for (const [id, weight] of Object.entries(weights))
        expectNear(share(found.map((one) => one === id)), weight / sum);
    }
    expect(new Set(chosen({ a: 0, b: 1 }))).toEqual(new Set(['b']));
    expect(new Set(chosen({ a: 0 }))).toEqual(new Set(['none']));
  });

  test('from 50:50 to 60:40 change for a tenth of the visitors, all to the variant that gained', () => {
    const [before, after] = [chosen({ a: 50, b: 50 }), chosen({ a: 60, b: 40 })];
    expectNear(share(before.map((one, index) => one !== after[index])), 0.1);
    expect(before.some((one, index) => one === 'a' && after[index] === 'b')).toBe(false);
  });

  test('an added variant takes its share from each, and a removed one gives back only its own', () => {
    const [two, three] = [chosen({ a: 1, b: 1 }), chosen({ a: 1, b: 1, c: 1 })];
    expect(two.every((one, index) => three[index] === 'c' || three[index] === one)).toBe(true);
    expectNear(share(three.map((one) => one === 'c')), 1 / 3);
  });

  test('of two rules are independent', () => {
    const [one, other] = [chosen({ a: 1, b: 1 }), chosen({ a: 1, b: 1 }, '1\nr_b')];
    expectNear(share(one.map((id, index) => id === other[index])), 0.5);
  });
});

test('random variants cover the whole range', () => {
  const all = variants({ a: 1, b: 0, c: 3 });
  const found = [0, 0.2499, 0.25, 0.9999, 1].map((drawn) => variantBy(all, drawn)?.id);
  expect(found).toEqual(['a', 'a', 'c', 'c', 'c']);
  expect(variantBy(variants({ a: 0 }), 0.5)).toBeNull();
});
