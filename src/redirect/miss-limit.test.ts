import { expect, test } from 'bun:test';
import { MissLimit } from './miss-limit.ts';

const minute = 60_000;
const start = 1_900_000_000_000 - (1_900_000_000_000 % minute);

test('a network may miss as often as the limit says, then waits for the next minute', () => {
  let now = start + 15_000;
  const limit = new MissLimit(3, () => now);
  const miss = (network: string) => limit.count(() => network);
  expect([miss('a'), miss('a'), miss('a')]).toEqual([0, 0, 0]);
  expect(limit.isOver(() => 'a')).toBe(true);
  expect(miss('a')).toBe(45);
  now += 44_500;
  expect(miss('a')).toBe(1);
  expect(miss('b')).toBe(0);
  expect(limit.isOver(() => 'b')).toBe(false);
  now += 500;
  expect(limit.isOver(() => 'a')).toBe(false);
  expect(miss('a')).toBe(0);
});

test('without a limit nobody is looked at', () => {
  const limit = new MissLimit(0, () => start);
  expect(limit.count(() => expect.unreachable())).toBe(0);
  expect(limit.isOver(() => expect.unreachable())).toBe(false);
});

test('so many networks at once that memory would suffer are counted afresh', () => {
  const limit = new MissLimit(1, () => start);
  for (let network = 0; network < 250_000; network++) expect(limit.count(() => String(network))).toBe(0);
});
