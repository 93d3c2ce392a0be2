import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { dayLength, hourLength } from '../rules/durations.ts';
import { afterAttempt, nextTry, parseRetryAfter } from './back-off.ts';

const firstAt = Date.UTC(2026, 0, 5, 12);
const end = firstAt + 72 * hourLength;
const tries = (made: number, now = firstAt) => ({ made, firstAt, now });
const answered = (status: number, retryAfter: number | null = null) =>
  ({ kind: 'answered', status, retryAfter }) as const;

/** All attempts at a target that stays down. */
function schedule(random: () => number): number[] {
  const instants = [firstAt];
  for (;;) {
    const next = nextTry(tries(instants.length, instants.at(-1)), random(), null);
    if (next === null) return instants;
    instants.push(next);
  }
}

test('the first retries follow quickly, the later ones are far apart, the last at the end of the third day', () => {
  const instants = schedule(() => 0.5);
  const waits = instants.slice(1).map((instant, index) => (instant - (instants[index] ?? 0)) / 1000);
  const sums = 5 + 30 + 120 + 600 + 1800 + 3600 + 3 * 3600 + 6 * 3600 + 12 * 3600;
  expect(waits.slice(0, 9)).toEqual([5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200]);
  expect(waits.slice(9)).toEqual([43_200, 43_200, 43_200, 43_200, 72 * 3600 - sums - 4 * 43_200]);
  expect(instants.at(-1)).toBe(end);
});

test('for any random delays, the attempts are in order, few, and end after three days', () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (randomValues) => {
        const instants = schedule(() => randomValues.next().value ?? 0);
        expect(instants.at(-1)).toBe(end);
        expect(instants.length).toBeGreaterThan(10);
        expect(instants.length).toBeLessThan(20);
        expect(instants).toEqual(instants.toSorted((one, other) => one - other));
      },
    ),
  );
});

test('randomness varies a delay by a fifth in either direction', () => {
  expect(nextTry(tries(4), 0, null)).toBe(firstAt + 480_000);
  expect(nextTry(tries(4), 0.999999, null)).toBeCloseTo(firstAt + 720_000, -1);
});

describe('Retry-After', () => {
  test('makes a delay longer', () => {
    expect(nextTry(tries(1), 0.5, 90_000)).toBe(firstAt + 90_000);
  });

  test('never makes it shorter', () => {
    expect(nextTry(tries(4), 0.5, 1000)).toBe(firstAt + 600_000);
    expect(nextTry(tries(4), 0.5, 0)).toBe(firstAt + 600_000);
  });

  test('is respected up to a day', () => {
    expect(nextTry(tries(1), 0.5, 999_999_999_000)).toBe(firstAt + dayLength);
  });

  test('does not extend beyond the third day', () => {
    expect(nextTry(tries(12, end - hourLength), 0.5, 5 * hourLength)).toBe(end);
    expect(nextTry(tries(13, end), 0.5, 5 * hourLength)).toBeNull();
  });

  test.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7000],
    ['Mon, 05 Jan 2026 12:01:00 GMT', 60_000],
    ['Mon, 05 Jan 2026 11:59:00 GMT', 0],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-01-05', null],
    ['Xyz, 99 Foo 2026 12:01:00 GMT', null],
    ['Mon, 99 Jan 2026 12:01:00 GMT', null],
    ['99999999999999999999', null],
    [undefined, null],
  ])('%j is read as %p', (header, expected) => {
    expect(parseRetryAfter(header, firstAt)).toBe(expected);
  });
});

describe('after an attempt', () => {
  test.each([200, 201, 202, 204, 299])('%d counts as delivered', (status) => {
    expect(afterAttempt(answered(status), tries(1), 0.5)).toEqual({ kind: 'delivered' });
  });

  test.each([100, 301, 302, 308, 400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504, 599])(
    '%d is retried',
    (status) => {
      expect(afterAttempt(answered(status), tries(1), 0.5)).toEqual({ kind: 'again', at: firstAt + 5000 });
    },
  );

  test('410 is final', () => {
    expect(afterAttempt(answered(410, 5000), tries(1), 0.5)).toEqual({ kind: 'failed', why: 'gone' });
  });

  test('a refusal of our own is final', () => {
    expect(afterAttempt({ kind: 'refused' }, tries(1), 0.5)).toEqual({ kind: 'failed', why: 'refused' });
  });

  test('an unreachable target is retried until the end of the third day', () => {
    expect(afterAttempt({ kind: 'failed' }, tries(2), 0.5)).toEqual({ kind: 'again', at: firstAt + 30_000 });
    expect(afterAttempt({ kind: 'failed' }, tries(14, end), 0.5)).toEqual({
      kind: 'failed',
      why: 'time is up',
    });
  });

  test('a response may set the time of the next attempt', () => {
    expect(afterAttempt(answered(503, hourLength), tries(1), 0.5)).toEqual({
      kind: 'again',
      at: firstAt + hourLength,
    });
  });
});
