import { expect, test } from 'bun:test';
import { BoundedCache } from './bounded-cache.ts';

test('an entry is found, replaced and deleted', () => {
  const cache = new BoundedCache<number>(10);
  cache.set('a', 1);
  cache.set('a', 2);
  expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([2, undefined, 1]);
  cache.delete('a');
  cache.delete('a');
  expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  cache.set('b', 3);
  cache.clear();
  expect([cache.get('b'), cache.size]).toEqual([undefined, 0]);
  cache.set('b', 4);
  expect(cache.get('b')).toBe(4);
});

test('after many entries a cache can be cleared and filled again', () => {
  const cache = new BoundedCache<number>(10_000);
  for (const start of [0, 5_000]) {
    for (let index = start; index < start + 5_000; index++) cache.set(String(index), index);
    for (let index = start; index < start + 5_000; index++) expect(cache.get(String(index))).toBe(index);
    expect([cache.size, cache.get(String(start + 5_000))]).toEqual([5_000, undefined]);
    cache.clear();
    expect([cache.size, cache.get(String(start))]).toEqual([0, undefined]);
  }
});

test('a used entry stays, an unused one is evicted', () => {
  const cache = new BoundedCache<number>(100);
  for (let index = 0; index < 100; index++) cache.set(`old ${index}`, index);
  for (let index = 0; index < 50; index++) cache.get(`old ${index}`);
  for (let index = 0; index < 50; index++) cache.set(`new ${index}`, index);
  for (let index = 0; index < 50; index++) expect(cache.get(`old ${index}`)).toBe(index);
  for (let index = 50; index < 100; index++) expect(cache.get(`old ${index}`)).toBeUndefined();
});

test('the last entry is stored, even if nothing else fits beside it', () => {
  const cache = new BoundedCache<string>(10, (_, value) => value.length);
  for (const value of ['x'.repeat(9), 'y'.repeat(30), 'z', 'w'.repeat(10)]) {
    cache.set(value, value);
    expect(cache.get(value)).toBe(value);
  }
  expect(cache.size).toBe(1);
});

test('after any calls a cache has the values of a plain map, or none, and never exceeds its limit', () => {
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const cache = new BoundedCache<number>(1_000, (_, value) => 1 + (value % 7));
  const expected = new Map<string, number>();
  for (let step = 0; step < 200_000; step++) {
    const key = String(draw(2_000));
    if (draw(10) === 0) {
      cache.delete(key);
      expected.delete(key);
    } else if (draw(2) === 0) {
      cache.set(key, step);
      expected.set(key, step);
      expect(cache.get(key)).toBe(step);
    } else {
      const found = cache.get(key);
      if (found !== undefined) expect(found).toBe(expected.get(key) ?? -1);
    }
  }
  let weight = 0;
  for (const [key, value] of expected) if (cache.get(key) !== undefined) weight += 1 + (value % 7);
  expect(weight).toBeLessThanOrEqual(1_000);
  expect(weight).toBeGreaterThan(900);
});

test('an entry that changes repeatedly evicts no other', () => {
  const cache = new BoundedCache<string>(1_000, (_, value) => value.length);
  cache.set('other', 'kept');
  for (let round = 0; round < 1_000; round++) {
    cache.set('busy', 'x'.repeat(100));
    if (round % 2 === 0) cache.delete('busy');
  }
  expect(cache.get('other')).toBe('kept');
});
