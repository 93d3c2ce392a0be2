import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { countedOf, kindOf, RollUpTally } from './roll-up-tally.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ValueLimit } from './value-limit.ts';
import { WordIds } from './word-ids.ts';

test('the tally counts like a map, in order, even after growing and being reused', () => {
  const number = fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 2 ** 20 - 1 }));
  const tally = new RollUpTally();
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number), { maxLength: 300 }), (adds) => {
      tally.clear();
      const expected = new Map<string, number>();
      for (const [kind, value] of adds) {
        tally.add(kind, value);
        expected.set(`${kind} ${value}`, (expected.get(`${kind} ${value}`) ?? 0) + 1);
      }
      const keys = [...tally.keys()];
      expect(keys).toEqual(keys.toSorted((one, other) => one - other));
      const found = keys.map((key): [string, number] => [
        `${kindOf(key)} ${countedOf(key)}`,
        tally.count(key),
      ]);
      expect(new Map(found)).toEqual(expected);
      expect(keys.length).toBe(expected.size);
    }),
  );
});

test('a tally that was large works for small ones too', () => {
  const tally = new RollUpTally();
  for (let value = 0; value < 5_000; value++) tally.add(3, value);
  for (const size of [2, 700, 1]) {
    tally.clear();
    for (let value = 0; value < size; value++) tally.add(3, value, 2);
    expect([...tally.keys()].map((key) => [countedOf(key), tally.count(key)])).toEqual(
      Array.from({ length: size }, (_, value) => [value, 2]),
    );
  }
});

test('a link has a limited number of values per field and hour', () => {
  const limit = new ValueLimit(2);
  const admitted = (link: number, field: number, at: number, values: number[]) =>
    values.map((value) => limit.admits(link, field, at, value));
  expect(admitted(1, 0, 0, [7, 8, 9, 7, 8])).toEqual([true, true, false, true, true]);
  expect([limit.hasRoom(1, 0, 0), limit.hasRoom(1, 1, 0), limit.hasRoom(2, 0, 0)]).toEqual([
    false,
    true,
    true,
  ]);
  expect([admitted(2, 0, 0, [9]), admitted(1, 1, 0, [9]), admitted(1, 0, 1, [9])]).toEqual([
    [true],
    [true],
    [true],
  ]);
});

test('values of many links are cleared before they fill the memory', () => {
  const limit = new ValueLimit(200);
  for (let link = 0; link < 4_100; link++)
    for (let value = 0; value < 100; value++) limit.admits(link, 0, 0, value);
  expect(limit.hasRoom(0, 0, 0)).toBe(true);
  for (let value = 1_000; value < 1_200; value++) expect(limit.admits(0, 0, 0, value)).toBe(true);
});

test('the first values of a link, field and hour up to the limit are admitted, in any order', () => {
  const limit = new ValueLimit(5);
  const steps = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 2 }), fc.nat({ max: 12 })), {
    maxLength: 3_000,
    size: 'max',
  });
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 3 }), (hours) => {
      limit.clear();
      for (const [hour, ofHour] of hours.entries()) {
        const expected = new Map<string, Set<number>>();
        for (const [link, field, value] of ofHour) {
          const key = `${link} ${field}`;
          const admittedValues = expected.get(key) ?? new Set();
          expected.set(key, admittedValues);
          expect(limit.hasRoom(link, field, hour)).toBe(admittedValues.size < 5);
          if (admittedValues.size < 5) admittedValues.add(value);
          expect(limit.admits(link, field, hour, value)).toBe(admittedValues.has(value));
        }
      }
    }),
    { numRuns: 20 },
  );
});

test('a visitor is recognised the second time, on the same day and for the same owner', () => {
  const seen = new SeenVisitors(100);
  expect([seen.testAndAdd(1, 5, 999), seen.testAndAdd(1, 5, 999), seen.testAndAdd(1, 6, 99_999)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(seen.testAndAdd(2, 5, 999)).toBe(false);
});

test('words get the ids from storage, and each is requested once', async () => {
  const requested: (readonly string[])[] = [];
  const store = {
    newestSweep: async () => 7,
    wordIds: async (words: readonly string[]) => {
      requested.push(words);
      return new Map(words.map((word) => [word, word.length * 100]));
    },
  };
  const words = new WordIds();
  const [one, three, none] = [words.indexOf('a'), words.indexOf('abc'), words.indexOf('')];
  await words.fetchIds(store);
  await words.fetchIds(store);
  const ids = Int32Array.of(one, three, none);
  words.replaceWithIds(ids, ids.length);
  expect([...ids]).toEqual([100, 300, 0]);
  expect(requested).toEqual([['a', 'abc']]);
  words.noteSweep(7);
  expect(words.trim()).toBe(false);
  // Some words may have been deleted since, so all ids are fetched again.
  words.noteSweep(8);
  expect(words.trim()).toBe(true);
  expect([words.trim(), words.find('a')]).toEqual([false, -1]);
});

test('of very many visitors the latest are cached, and none is confused with another', () => {
  const seen = new SeenVisitors(10_000);
  const visitor = (index: number) => 2 ** 40 + index * 7_919_000_000;
  for (let index = 0; index < 50_000; index++) expect(seen.testAndAdd(1, -3, visitor(index))).toBe(false);
  for (let index = 45_000; index < 50_000; index++) expect(seen.testAndAdd(1, -3, visitor(index))).toBe(true);
});
