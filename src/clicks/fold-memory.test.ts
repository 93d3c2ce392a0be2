import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { RollUpTally } from './roll-up-tally.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { otherValues, ValueLimit } from './value-limit.ts';
import { WordPlaces } from './word-places.ts';

const hour = 3_600_000;

test('the tally counts as a map does, also when it has grown and was used before', () => {
  const small = fc.nat({ max: 9 });
  const tally = new RollUpTally(4);
  fc.assert(
    fc.property(fc.array(fc.tuple(small, small, small), { maxLength: 300 }), (adds) => {
      tally.clear();
      const expected = new Map<string, number>();
      for (const [owner, kind, value] of adds) {
        tally.add(owner, kind, value);
        const key = `${owner} ${kind} ${value}`;
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      const found = new Map<string, number>();
      tally.each((owner, kind, value, count) => found.set(`${owner} ${kind} ${value}`, count));
      expect(found).toEqual(expected);
      expect(tally.size).toBe(expected.size);
    }),
  );
});

test('a link has so many values of a field in an hour, then they are the others', () => {
  const limit = new ValueLimit(2);
  expect(['a', 'b', 'c', 'a', ''].map((value) => limit.limited(1, 0, 0, value))).toEqual([
    'a',
    'b',
    otherValues,
    'a',
    '',
  ]);
  expect(limit.limited(2, 0, 0, 'c')).toBe('c');
  expect(limit.limited(1, 1, 0, 'c')).toBe('c');
  expect(limit.limited(1, 0, hour, 'c')).toBe('c');
});

test('a visitor is known the second time, on the same day and of the same owner', () => {
  const seen = new SeenVisitors(100);
  expect([seen.notes(1, 5, 999), seen.notes(1, 5, 999), seen.notes(1, 6, 99_999)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(seen.notes(2, 5, 999)).toBe(false);
});

test('words have the numbers that storage gives, and none is asked for twice', async () => {
  const asked: (readonly string[])[] = [];
  const idsOf = async (words: readonly string[]) => {
    asked.push(words);
    return new Map(words.map((word) => [word, word.length * 100]));
  };
  const words = new WordPlaces();
  const [one, three, none] = [words.placeOf('a'), words.placeOf('abc'), words.placeOf('')];
  await words.settle(idsOf);
  await words.settle(idsOf);
  expect([one, three, none].map((place) => words.idAt(place))).toEqual([100, 300, 0]);
  expect(asked).toEqual([['a', 'abc']]);
});
