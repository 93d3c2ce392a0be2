import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { hourLength } from '../../rules/durations.ts';
import { HitColumns } from '../hit-columns.ts';
import { mergedClicks, noClicks, packClicks, type RecentClicks, unpackClicks } from './recent-clicks.ts';
import { RepeatFinder } from './repeat-finder.ts';
import { noKey, repeatKey } from './repeat-key.ts';

const at = Date.UTC(2026, 5, 1, 12);
const window = 2_000;
type Hit = readonly [key: number, at: number];

function columnsOf(hits: readonly Hit[]): HitColumns {
  const columns = new HitColumns();
  columns.begin();
  for (const [key, instant] of hits) {
    const row = columns.add();
    columns.repeatKey[row] = key;
    columns.at[row] = instant;
  }
  return columns;
}

/** The repeats in the next batch of hits. */
function repeatsOf(finder: RepeatFinder, hits: readonly Hit[], others: RecentClicks = noClicks): Hit[] {
  finder.find(columnsOf(hits), others);
  finder.accept();
  return Array.from(finder.repeats, (row) => hits[row] ?? [noKey, 0]);
}

test('a repeat has the same key within the window, and does not extend the window', () => {
  const finder = new RepeatFinder(window);
  const hits: Hit[] = [0, 500, 1_999, 2_000, 3_999, 4_000].map((later) => [7, at + later]);
  expect(repeatsOf(finder, hits).map(([, instant]) => instant - at)).toEqual([500, 1_999, 3_999]);
  expect(repeatsOf(finder, [[8, at + 4_100]])).toEqual([]);
  expect(repeatsOf(finder, [[7, at + 4_100]])).toHaveLength(1);
  expect(repeatsOf(finder, [[noKey, at + 4_100]])).toEqual([]);
});

test('an instant slightly in the past is as close as one ahead, one of hours ago is not', () => {
  const finder = new RepeatFinder(window);
  expect(repeatsOf(finder, [[7, at]])).toEqual([]);
  expect(repeatsOf(finder, [[7, at - 1_999]])).toHaveLength(1);
  expect(repeatsOf(finder, [[7, at - hourLength]])).toEqual([]);
  expect(repeatsOf(finder, [[7, at - hourLength + 1]])).toHaveLength(1);
});

test('processing the same batch again gives the same result, with more clicks of others known', () => {
  const finder = new RepeatFinder(window);
  repeatsOf(finder, [[1, at]]);
  const columns = columnsOf([
    [1, at + 100],
    [2, at + 200],
    [3, at + 300],
  ]);
  for (let round = 0; round < 3; round++) {
    finder.find(columns, noClicks);
    expect([...finder.repeats]).toEqual([0]);
  }
  finder.find(columns, unpackClicks(packClicks(Float64Array.of(3, at + 900))));
  expect([...finder.repeats]).toEqual([0, 2]);
  expect([...finder.clicks]).toEqual([2, at + 200]);
});

test('two journals that share their clicks count like one, however their hits are divided', () => {
  const hit = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(600), fc.boolean(), fc.nat(3));
  fc.assert(
    fc.property(fc.array(hit, { maxLength: 120 }), (steps) => {
      let now = at;
      const journals = [new RepeatFinder(window), new RepeatFinder(window)];
      const sharedClicks: [RecentClicks[], RecentClicks[]] = [[], []];
      const last = new Map<number, number>();
      for (const [key, step, isFirst] of steps) {
        now += step;
        const journal = isFirst ? 0 : 1;
        const finder = journals[journal] as RepeatFinder;
        const before = last.get(key) ?? Number.NEGATIVE_INFINITY;
        const isRepeat = now - before < window;
        const others = mergedClicks(sharedClicks[1 - journal] ?? [], now - window, now + window);
        expect(repeatsOf(finder, [[key, now]], others)).toHaveLength(isRepeat ? 1 : 0);
        if (isRepeat) continue;
        last.set(key, now);
        sharedClicks[journal]?.push(unpackClicks(packClicks(finder.clicks)));
      }
    }),
  );
});

test('memory is bounded', () => {
  const finder = new RepeatFinder(window, 1_000);
  for (let key = 0; key < 50_000; key += 100)
    repeatsOf(
      finder,
      Array.from({ length: 100 }, (_, index): Hit => [key + index, at]),
    );
  expect(finder.size).toBeLessThanOrEqual(4_000);
  expect(repeatsOf(finder, [[49_999, at]])).toHaveLength(1);
});

test('keys differ if any part differs, and are integers of 52 bits', () => {
  const parts = [-1, 2 ** 20 - 1, 7, 3, 5, 9] as const;
  const keys = [
    parts,
    ...parts.map((_, changed) => parts.map((part, index) => part - Number(index === changed))),
  ].map((each) => repeatKey(...(each as [number, number, number, number, number, number])));
  expect(new Set(keys).size).toBe(keys.length);
  const many = new Set<number>();
  for (let visitor = 0; visitor < 300; visitor++)
    for (let link = 0; link < 300; link++) many.add(repeatKey(visitor, visitor, link, 0, 0, 0));
  expect(many.size).toBe(90_000);
  for (const key of many) expect(Number.isSafeInteger(key) && key >= 0 && key < 2 ** 52).toBe(true);
});
