import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { RecentVisits } from './recent-visits.ts';

const at = Date.UTC(2026, 5, 1);

describe('a repeat', () => {
  test('is one of the same visitor on the same link', () => {
    const recent = new RecentVisits();
    expect(recent.repeats(1, 7_000_000, at)).toBe(false);
    expect(recent.repeats(1, 7_000_000, at + 300)).toBe(true);
    expect(recent.repeats(2, 7_000_000, at + 300)).toBe(false);
    expect(recent.repeats(1, 9_000_000, at + 300)).toBe(false);
  });

  test('does not prolong the window: who clicks every second clicks once in ten', () => {
    const recent = new RecentVisits();
    const clicks = Array.from({ length: 60 }, (_, second) => recent.repeats(1, 7, at + second * 1_000));
    expect(clicks.filter((repeated) => !repeated)).toHaveLength(6);
  });

  test('is found across the change of generations', () => {
    const recent = new RecentVisits();
    recent.repeats(1, 1_000, at);
    recent.repeats(1, 2_000, at + 9_000);
    expect(recent.repeats(1, 3_000, at + 11_000)).toBe(false);
    expect(recent.repeats(1, 2_000, at + 12_000)).toBe(true);
  });

  test('costs bounded memory', () => {
    const recent = new RecentVisits(1_000);
    for (let visitor = 0; visitor < 50_000; visitor++) recent.repeats(1, visitor * 100, at);
    expect(recent.size).toBeLessThanOrEqual(2_000);
    expect(recent.repeats(1, 49_999 * 100, at)).toBe(true);
  });

  test('is decided alike when the same hits are replayed', () => {
    const hits = fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(4_000)), { maxLength: 200 });
    fc.assert(
      fc.property(hits, (steps) => {
        const run = () => {
          const recent = new RecentVisits(8);
          let now = at;
          return steps.map(([link, visitor, step]) => {
            now += step;
            return recent.repeats(link, visitor * 1_000, now);
          });
        };
        expect(run()).toEqual(run());
      }),
    );
  });

  test('is none of a click of weeks ago, nor of one of weeks ahead', () => {
    const recent = new RecentVisits();
    const weeks = 3 * 7 * 86_400_000;
    for (const instant of [at, at + weeks, at + weeks + 1, at]) recent.repeats(1, 7, instant);
    expect(recent.repeats(1, 7, at + 1)).toBe(true);
    expect(recent.repeats(1, 7, at + weeks)).toBe(false);
  });
});
