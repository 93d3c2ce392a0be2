import { expect, test } from 'bun:test';
import { TwoGenerationCache } from './bounded-cache.ts';

const byLength = (_: string, value: string) => value.length;

test('what was set is found, what was deleted is not', () => {
  const known = new TwoGenerationCache<string>(10);
  known.set('a', 'one');
  known.set('a', 'two');
  known.set('b', 'three');
  expect(known.get('a')).toBe('two');
  known.delete('a');
  expect(known.get('a')).toBeUndefined();
  expect(known.size).toBe(1);
  known.clear();
  expect(known.get('b')).toBeUndefined();
  expect(known.size).toBe(0);
});

test('it never holds more than its bound, whatever comes', () => {
  const known = new TwoGenerationCache<true>(100);
  for (let key = 0; key < 10_000; key++) {
    known.set(`key ${key}`, true);
    expect(known.size).toBeLessThanOrEqual(101);
  }
});

test('it never holds more weight than its bound plus one entry, whatever is replaced, deleted and asked for', () => {
  const known = new TwoGenerationCache<string>(1_000, byLength);
  const held = new Map<string, string>();
  let state = 1;
  const draw = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let step = 0; step < 20_000; step++) {
    const key = `key ${draw(60)}`;
    const action = draw(10);
    if (action === 0) known.delete(key);
    else if (action < 4) known.get(key);
    else {
      const value = 'x'.repeat(draw(100));
      known.set(key, value);
      held.set(key, value);
    }
    if (step % 100 === 0) {
      const weight = [...held.keys()].reduce((sum, each) => sum + (known.get(each)?.length ?? 0), 0);
      expect(weight).toBeLessThanOrEqual(1_100);
    }
  }
});

test('what is used stays while ten times the bound passes by; what is not used goes', () => {
  const known = new TwoGenerationCache<true>(100);
  known.set('used', true);
  known.set('unused', true);
  for (let key = 0; key < 1_000; key++) {
    known.set(`key ${key}`, true);
    expect(known.get('used')).toBe(true);
  }
  expect(known.get('unused')).toBeUndefined();
});

test('an entry that changes again and again costs the others nothing', () => {
  const known = new TwoGenerationCache<string>(1_000, byLength);
  known.set('other', 'kept');
  for (let time = 0; time < 1_000; time++) {
    known.set('busy', 'x'.repeat(100));
    known.delete('busy');
  }
  for (let time = 0; time < 1_000; time++) known.set('busy', 'x'.repeat(100));
  expect(known.get('other')).toBe('kept');
});

test('a value that was replaced never comes back', () => {
  const known = new TwoGenerationCache<string>(4);
  known.set('a', 'old');
  for (const key of ['b', 'c']) known.set(key, 'filler');
  known.set('a', 'new');
  for (const key of ['d', 'e', 'f', 'g', 'h', 'i']) {
    known.set(key, 'filler');
    expect(known.get('a') ?? 'new').toBe('new');
  }
  known.delete('a');
  expect(known.get('a')).toBeUndefined();
});
