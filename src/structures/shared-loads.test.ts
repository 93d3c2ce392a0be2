import { beforeEach, expect, test } from 'bun:test';
import { SharedLoads } from './shared-loads.ts';

let loads: SharedLoads<string>;
let loaded: [value: string, isOutdated: boolean][];

beforeEach(() => {
  loads = new SharedLoads();
  loaded = [];
});

const note = (value: string, isOutdated: boolean): void => {
  loaded.push([value, isOutdated]);
};

test('a load is shared until it ends, and noted before its callers go on', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = loads.add('a', promise, note);
  expect(loads.get('a')).toBe(first);
  expect(loads.get('b')).toBeUndefined();
  const seen = first.then(() => [...loaded]);
  resolve('one');
  expect(await seen).toEqual([['one', false]]);
  expect(loads.get('a')).toBeUndefined();
});

test('a load whose key has changed is not shared, and the one after it is', async () => {
  const before = Promise.withResolvers<string>();
  const after = Promise.withResolvers<string>();
  loads.add('a', before.promise, note);
  loads.outdate('a');
  loads.outdate('b');
  expect(loads.get('a')).toBeUndefined();
  const second = loads.add('a', after.promise, note);
  before.resolve('old');
  await before.promise;
  expect(loads.get('a')).toBe(second);
  after.resolve('new');
  await second;
  expect(loaded).toEqual([
    ['old', true],
    ['new', false],
  ]);
});

test('all loads under way can be outdated at once', async () => {
  loads.add('a', Promise.resolve('one'), note);
  loads.add('b', Promise.resolve('two'), note);
  loads.outdateAll();
  expect([loads.get('a'), loads.get('b')]).toEqual([undefined, undefined]);
  await Promise.resolve();
  expect(loaded).toEqual([
    ['one', true],
    ['two', true],
  ]);
});

test('a load that failed is not shared any more', async () => {
  const failing = loads.add('a', Promise.reject(new Error('away')), note);
  expect(loads.get('a')).toBe(failing);
  await expect(failing).rejects.toThrow('away');
  expect(loads.get('a')).toBeUndefined();
  expect(loaded).toEqual([]);
});
