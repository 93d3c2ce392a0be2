import { expect, test } from 'bun:test';
import { minuteLength } from '../rules/durations.ts';
import { MissLimit } from './miss-limit.ts';

const start = 1_900_000_000_000 - (1_900_000_000_000 % minuteLength);

test('a network may miss as often as the limit says, then waits for the next minute', () => {
  let now = start + 15_000;
  const limit = new MissLimit(3, () => now);
  const miss = (network: string) => limit.count(network);
  expect([miss('a'), miss('a'), miss('a')]).toEqual([0, 0, 0]);
  expect(limit.isExceeded('a')).toBe(false);
  expect(miss('a')).toBe(45);
  expect([limit.isExceeded('a'), limit.isExceeded('b')]).toEqual([true, false]);
  now += 44_500;
  expect(miss('a')).toBe(1);
  expect(miss('b')).toBe(0);
  now += 500;
  expect(limit.isExceeded('a')).toBe(false);
  expect(miss('a')).toBe(0);
});

test('without a limit nothing is counted', () => {
  const limit = new MissLimit(0, () => expect.unreachable());
  for (let miss = 0; miss < 3; miss++) expect(limit.count('a')).toBe(0);
});

test('however many networks miss at once, memory is bounded, and hardly any are confused', () => {
  const limit = new MissLimit(1, () => start);
  let mistaken = 0;
  for (let network = 0; network < 250_000; network++) {
    if (limit.count(String(network)) > 0) mistaken += 1;
  }
  expect(mistaken).toBeLessThan(30);
  expect(limit.memory.byteLength).toBeLessThan(2 * 1024 * 1024);
});

test('threads that share the memory count together', () => {
  const one = new MissLimit(2, () => start);
  const other = new MissLimit(2, () => start, one.memory);
  const network = '203.0.113.7';
  expect([one.count(network), other.count(network)]).toEqual([0, 0]);
  expect(other.count(network)).toBe(60);
});
