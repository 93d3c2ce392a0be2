import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dayLength, hourLength } from '../durations.ts';
import { afterCheck, type DomainStatus, nextCheck, stateOf, type Verdict } from './domain-status.ts';

const start = 1_900_000_000_000;
const pending: DomainStatus = { verifiedAt: null, goneSince: null, releasedAt: null, checkedAt: null };
const verified: DomainStatus = { ...pending, verifiedAt: start, checkedAt: start };

/** The status after these verdicts, each with the hours before it. */
const after = (status: DomainStatus, ...checks: readonly (readonly [number, Verdict])[]): DomainStatus => {
  let now = start;
  return checks.reduce((before, [hours, verdict]) => {
    now += hours * hourLength;
    return afterCheck(before, verdict, now);
  }, status);
};
const states = (status: DomainStatus, ...checks: readonly (readonly [number, Verdict])[]) =>
  checks.map((_, index) => stateOf(after(status, ...checks.slice(0, index + 1))));

test('only a proof verifies a domain', () => {
  expect(states(pending, [0, 'gone'], [1, 'unknown'], [1, 'present'])).toEqual([
    'pending',
    'pending',
    'verified',
  ]);
  // It was never there, so it can't be gone.
  expect(after(pending, [100, 'gone'], [100, 'gone'])).toEqual({
    ...pending,
    checkedAt: start + 200 * hourLength,
  });
  expect(after(pending, [5, 'present'])).toEqual({
    ...pending,
    verifiedAt: start + 5 * hourLength,
    checkedAt: start + 5 * hourLength,
  });
});

test('a verified domain keeps the instant of its first verification', () => {
  expect(after(verified, [24, 'present']).verifiedAt).toBe(start);
});

test('the verification ends after 72 hours without the proof, and not before', () => {
  expect(states(verified, [24, 'gone'], [71.99, 'gone'], [0.01, 'gone'])).toEqual([
    'failing',
    'failing',
    'pending',
  ]);
  expect(after(verified, [24, 'gone'], [72, 'gone'])).toMatchObject({
    verifiedAt: null,
    releasedAt: start + 96 * hourLength,
  });
});

test('a proof that returns in time restores everything', () => {
  expect(after(verified, [24, 'gone'], [71, 'present'])).toEqual({
    ...verified,
    checkedAt: start + 95 * hourLength,
  });
  expect(states(verified, [24, 'gone'], [71, 'present'], [24, 'gone'], [71, 'gone']).at(-1)).toBe('failing');
});

test('an unreachable DNS neither starts nor continues the 72 hours', () => {
  expect(states(verified, [24, 'unknown'], [500, 'unknown']).at(-1)).toBe('verified');
  expect(states(verified, [1, 'gone'], [200, 'unknown'], [71, 'gone'], [1, 'gone'])).toEqual([
    'failing',
    'failing',
    'failing',
    'pending',
  ]);
});

test('a domain is only given up by a check that finds no proof, 72 hours after another one, whatever happens in between', () => {
  const verdict = fc.constantFrom<Verdict>('present', 'gone', 'unknown');
  const checks = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), verdict), { maxLength: 30 });
  fc.assert(
    fc.property(checks, (given) => {
      let status: DomainStatus = verified;
      let now = start;
      let firstGone: number | null = null;
      for (const [hours, result] of given) {
        now += hours * hourLength;
        const before = status;
        status = afterCheck(status, result, now);
        const isReleased = before.verifiedAt !== null && status.verifiedAt === null;
        if (result === 'present') firstGone = null;
        if (result === 'gone') firstGone ??= now;
        if (isReleased) expect([result, now - (firstGone ?? now) >= 72 * hourLength]).toEqual(['gone', true]);
        if (status.goneSince !== null) expect(status.goneSince).toBeLessThanOrEqual(now);
        if (isReleased) firstGone = null;
      }
    }),
    { numRuns: 5_000 },
  );
});

test('a released domain that is proved again is treated as new', () => {
  const released = after(verified, [24, 'gone'], [72, 'gone']);
  expect(afterCheck(released, 'present', start + 200 * hourLength)).toEqual({
    verifiedAt: start + 200 * hourLength,
    goneSince: null,
    releasedAt: null,
    checkedAt: start + 200 * hourLength,
  });
});

test('verified domains are checked daily, spread over an hour, and failing or unreachable ones hourly', () => {
  for (const [chance, hours] of [
    [0, 24],
    [0.5, 23.5],
    [0.999_999, 23],
  ] as const)
    expect(
      Math.round(((nextCheck(verified, 'present', 0, start, chance) - start) / hourLength) * 100) / 100,
    ).toBe(hours);
  expect(nextCheck(verified, 'unknown', 0, start, 0.5) - start).toBe(hourLength);
  expect(nextCheck({ ...verified, goneSince: start }, 'gone', 0, start, 0.5) - start).toBe(hourLength);
});

test('pending domains are checked often at first, and less and less later', () => {
  const delays = [0, 0.2, 1, 24, 24 * 7, 24 * 60, 24 * 365].map(
    (hours) => nextCheck(pending, 'gone', start - hours * hourLength, start, 0.5) - start,
  );
  expect(delays).toEqual([10_000, 10_000, 60_000, 10 * 60_000, hourLength, dayLength, 7 * dayLength]);
  const released = { ...pending, releasedAt: start };
  expect(nextCheck(released, 'gone', start - 1_000 * hourLength, start, 0) - start).toBe(10_000);
});
