import { describe, expect, test } from 'bun:test';
import type { Stats } from '../api-types.ts';
import { labelIndexes, marksOf, pointsOf, scaleFor } from './points.ts';

const stats = (interval: Stats['interval'], starts: readonly string[]): Stats => ({
  from: '',
  to: '',
  interval,
  timezone: 'Europe/Berlin',
  from_raw: false,
  raw_since: '2026-01-01T00:00:00.000Z',
  visitors_are: 'daily',
  rule_changes: [],
  totals: { clicks: 0, visitors: 0, not_counted: null },
  series: starts.map((start, index) => ({ start, clicks: index, visitors: index, not_counted: 10 })),
  groups: null,
  other: null,
});

describe('points of a chart', () => {
  test("are named by the time in the chosen time zone, whatever the browser's own time zone is", () => {
    const [night] = pointsOf(stats('hour', ['2026-03-29T03:00:00+02:00']), false);
    expect(night).toMatchObject({ name: 'Sun, 29 Mar 2026, 03:00', tick: '03:00' });
    const [day] = pointsOf(stats('day', ['2026-03-29T00:00:00+01:00']), false);
    expect(day).toMatchObject({ name: 'Sun, 29 Mar 2026', tick: '29 Mar' });
    const months = pointsOf(
      stats('month', ['2025-12-01T00:00:00+01:00', '2026-01-01T00:00:00+01:00']),
      false,
    );
    expect(months.map(({ name, tick }) => [name, tick])).toEqual([
      ['December 2025', 'Dec'],
      ['January 2026', '2026'],
    ]);
  });

  test('have different names where the clocks are set back', () => {
    const twice = stats('hour', ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00']);
    expect(pointsOf(twice, false).map(({ name, tick }) => [name, tick])).toEqual([
      ['Sun, 25 Oct 2026, 02:00', '02:00'],
      ['Sun, 25 Oct 2026, 02:00 again', '02:00'],
    ]);
  });

  test('show hits if the filter is not for clicks', () => {
    const oneDay = stats('day', ['2026-03-29T00:00:00+01:00']);
    expect(pointsOf(oneDay, false)[0]).toMatchObject({ hits: 0, visitors: 0, notCounted: 10 });
    expect(pointsOf(oneDay, true)[0]).toMatchObject({ hits: 10, visitors: null, notCounted: null });
  });
});

describe('an axis', () => {
  test('begins at zero and goes in a few round integer steps up to the maximum', () => {
    for (const highest of [0, 1, 2, 3, 7, 49, 99, 100, 305, 1204, 999_999, 1_000_000_000]) {
      const scale = scaleFor(highest);
      expect(scale[0]).toBe(0);
      expect(scale.at(-1)).toBeGreaterThanOrEqual(Math.max(1, highest));
      expect(scale.length).toBeLessThanOrEqual(6);
      expect(scale.every(Number.isInteger)).toBe(true);
      expect(new Set(scale).size).toBe(scale.length);
    }
    expect(scaleFor(305)).toEqual([0, 100, 200, 300, 400]);
  });

  test('labels as many points as fit, hours at round times', () => {
    const pointsOfTicks = (list: readonly string[]) => list.map((tick) => ({ tick }));
    expect(labelIndexes(pointsOfTicks(Array(30).fill('1 Nov')), 8)).toEqual([0, 4, 8, 12, 16, 20, 24, 28]);
    const hours = Array.from(
      { length: 24 },
      (_, index) => `${String((index + 16) % 24).padStart(2, '0')}:00`,
    );
    const indexes = labelIndexes(pointsOfTicks(hours.map((hour) => (hour === '00:00' ? '20 Nov' : hour))), 8);
    expect(indexes.map((index) => hours[index])).toEqual([
      '18:00',
      '21:00',
      '00:00',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
      '15:00',
    ]);
    expect(labelIndexes([], 8)).toEqual([]);
  });
});

test('a mark is at the point during which the rule takes effect', () => {
  const days = ['2026-03-28T00:00:00+01:00', '2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00'];
  const marksOfChange = (at: string) =>
    marksOf({
      ...stats('day', days),
      rule_changes: [{ at, rule: 'visitors', sentence: 'Other.' }],
    });
  expect(marksOfChange('2026-03-29T21:59:59Z')).toEqual([{ index: 1, sentence: 'Other.' }]);
  expect(marksOfChange('2026-03-29T22:00:00Z')).toEqual([{ index: 2, sentence: 'Other.' }]);
  expect(marksOfChange('2026-03-27T22:59:00Z')).toEqual([{ index: 0, sentence: 'Other.' }]);
});
