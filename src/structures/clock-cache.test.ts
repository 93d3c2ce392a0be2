import { expect, test } from 'bun:test';
import { ClockCache } from './clock-cache.ts';

test('what was put in is found, replaced and taken out', () => {
  const map = new ClockCache<number>(10);
  map.set('a', 1);
  map.set('a', 2);
  expect([map.get('a'), map.get('b'), map.size]).toEqual([2, undefined, 1]);
  map.delete('a');
  map.delete('a');
  expect([map.get('a'), map.size]).toEqual([undefined, 0]);
  map.set('b', 3);
  map.clear();
  expect([map.get('b'), map.size]).toEqual([undefined, 0]);
  map.set('b', 4);
  expect(map.get('b')).toBe(4);
});

test('who was asked for stays, who was not goes', () => {
  const map = new ClockCache<number>(100);
  for (let index = 0; index < 100; index++) map.set(`old ${index}`, index);
  for (let index = 0; index < 50; index++) map.get(`old ${index}`);
  for (let index = 0; index < 50; index++) map.set(`new ${index}`, index);
  for (let index = 0; index < 50; index++) expect(map.get(`old ${index}`)).toBe(index);
  for (let index = 50; index < 100; index++) expect(map.get(`old ${index}`)).toBeUndefined();
});

test('what was put in last is there, also where nothing else has room beside it', () => {
  const map = new ClockCache<string>(10, (_, value) => value.length);
  for (const value of ['x'.repeat(9), 'y'.repeat(30), 'z', 'w'.repeat(10)]) {
    map.set(value, value);
    expect(map.get(value)).toBe(value);
  }
  expect(map.size).toBe(1);
});

test('whatever is done to it, it knows what a plain map knows, or nothing, and never more than it may', () => {
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const map = new ClockCache<number>(1_000, (_, value) => 1 + (value % 7));
  const truth = new Map<string, number>();
  for (let turn = 0; turn < 200_000; turn++) {
    const key = String(draw(2_000));
    if (draw(10) === 0) {
      map.delete(key);
      truth.delete(key);
    } else if (draw(2) === 0) {
      map.set(key, turn);
      truth.set(key, turn);
      expect(map.get(key)).toBe(turn);
    } else {
      const found = map.get(key);
      if (found !== undefined) expect(found).toBe(truth.get(key) ?? -1);
    }
  }
  let weight = 0;
  for (const [key, value] of truth) if (map.get(key) !== undefined) weight += 1 + (value % 7);
  expect(weight).toBeLessThanOrEqual(1_000);
  expect(weight).toBeGreaterThan(900);
});
