import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { dayLength, hourLength } from '../rules/durations.ts';
import { bucketsOf, dayBefore, dayStart, intervals, timezoneNamed } from './buckets.ts';

const at = (text: string) => Date.parse(text);
const buckets = (from: string, to: string, interval: (typeof intervals)[number], timezone = 'UTC') =>
  bucketsOf({ from: at(from), to: at(to) }, interval, timezone, 1_000) ?? [];
const starts = (...args: Parameters<typeof buckets>) => buckets(...args).map(({ start }) => start);
const lengths = (...args: Parameters<typeof buckets>) => buckets(...args).map(({ from, to }) => to - from);

describe('buckets', () => {
  test('a day in Berlin has 23, 24 or 25 hours', () => {
    expect(lengths('2026-03-27T23:00Z', '2026-03-30T22:00Z', 'day', 'Europe/Berlin')).toEqual([24, 23, 24]);
    expect(lengths('2026-10-23T22:00Z', '2026-10-26T23:00Z', 'day', 'Europe/Berlin')).toEqual([24, 25, 24]);
  });

  test('an hour that occurs twice is shown twice, distinguished by its offset', () => {
    expect(starts('2026-10-25T00:00Z', '2026-10-25T02:00Z', 'hour', 'Europe/Berlin')).toEqual([
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
    ]);
  });

  test('if midnight is skipped, the day begins with its first existing hour', () => {
    expect(starts('2026-09-06T04:00Z', '2026-09-07T03:00Z', 'day', 'America/Santiago')).toEqual([
      '2026-09-06T01:00:00-03:00',
    ]);
  });

  test('a day that a zone has skipped is left out', () => {
    expect(starts('2011-12-29T10:00Z', '2012-01-01T10:00Z', 'day', 'Pacific/Apia')).toEqual([
      '2011-12-29T00:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
      '2012-01-01T00:00:00+14:00',
    ]);
  });

  test('if midnight lies inside a UTC hour, the day begins with that hour', () => {
    for (const [timezone, midnight] of [
      ['Asia/Kolkata', '2026-01-01T18:30Z'],
      ['Asia/Kathmandu', '2026-01-01T18:15Z'],
      ['Australia/Adelaide', '2026-01-01T13:30Z'],
      ['America/St_Johns', '2026-01-01T03:30Z'],
    ] as const) {
      const [day] = bucketsOf({ from: at(midnight), to: at(midnight) + dayLength }, 'day', timezone, 9) ?? [];
      const hour = Math.floor(at(midnight) / hourLength);
      expect([timezone, day?.from, day?.to]).toEqual([timezone, hour, hour + 24]);
    }
  });

  test('a range inside the UTC hour in which its zone has midnight includes that hour', () => {
    const hour = Math.floor(at('2026-03-10T18:00Z') / hourLength);
    for (const [interval, start] of [
      ['hour', '2026-03-10T23:45:00+05:45'],
      ['day', '2026-03-10T00:00:00+05:45'],
      ['week', '2026-03-09T00:00:00+05:45'],
      ['month', '2026-03-01T00:00:00+05:45'],
    ] as const)
      expect(buckets('2026-03-10T18:05Z', '2026-03-10T18:15Z', interval, 'Asia/Kathmandu')).toMatchObject([
        { start, from: hour, to: hour + 1 },
      ]);
  });

  test('weeks begin on Monday, months on the first, wherever the range begins', () => {
    expect(starts('2026-11-20T12:00Z', '2026-12-02T00:00Z', 'week')).toEqual([
      '2026-11-16T00:00:00+00:00',
      '2026-11-23T00:00:00+00:00',
      '2026-11-30T00:00:00+00:00',
    ]);
    expect(starts('2027-12-31T12:00Z', '2028-03-01T00:00Z', 'month')).toEqual([
      '2027-12-01T00:00:00+00:00',
      '2028-01-01T00:00:00+00:00',
      '2028-02-01T00:00:00+00:00',
    ]);
  });

  test('too many buckets are refused', () => {
    const range = { from: at('2026-01-01T00:00Z'), to: at('2026-01-11T00:00Z') };
    for (const interval of ['hour', 'day'] as const) {
      const count = interval === 'day' ? 10 : 240;
      expect(bucketsOf(range, interval, 'UTC', count)).toHaveLength(count);
      expect(bucketsOf(range, interval, 'UTC', count - 1)).toBeNull();
    }
  });

  test('visitors of a UTC day are shown in the day, week or month that contains its noon', () => {
    const days = (timezone: string) =>
      buckets('2026-06-01T12:00Z', '2026-06-03T12:00Z', 'day', timezone).map(({ days }) =>
        new Date(days.from * hourLength).toISOString().slice(0, 10),
      );
    expect(days('UTC')).toEqual(['2026-06-01', '2026-06-02', '2026-06-03']);
    expect(days('America/New_York')).toEqual(['2026-06-01', '2026-06-02', '2026-06-03']);
    expect(days('Asia/Tokyo')).toEqual(['2026-06-01', '2026-06-02', '2026-06-03']);
  });

  test('a range that ends at midnight has no visitors of the next day', () => {
    const [week] = buckets('2026-11-16T00:00Z', '2026-11-18T00:00Z', 'week');
    const hour = (text: string) => at(text) / hourLength;
    expect(week?.days).toEqual({ from: hour('2026-11-16T00:00Z'), to: hour('2026-11-18T00:00Z') });
  });

  test('contain each hour and day of the range once, in any timezone and range', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...intervals),
        fc.integer({ min: at('1990-01-01T00:00Z'), max: at('2040-01-01T00:00Z') }),
        fc.integer({ min: 1, max: 40 * dayLength }),
        (timezone, interval, from, length) => {
          const found = bucketsOf({ from, to: from + length }, interval, timezone, 1_000) ?? [];
          expect(found.length).toBeGreaterThan(0);
          expect(found[0]?.from).toBe(Math.floor(from / hourLength));
          for (const bucket of found) expect(bucket.to).toBeGreaterThanOrEqual(bucket.from);
          expect(found.at(-1)?.to).toBeGreaterThan(Math.floor(from / hourLength));
          expect(Math.abs((found.at(-1)?.to ?? 0) - (from + length) / hourLength)).toBeLessThan(1);
          for (const [index, bucket] of found.entries()) {
            const next = found[index + 1];
            if (next) expect(next.from).toBe(bucket.to);
            if (next && interval !== 'hour') expect(next.days.from).toBe(bucket.days.to);
            expect(Math.floor(at(bucket.start) / hourLength)).toBeLessThanOrEqual(bucket.from);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

test('timezones are accepted by their IANA names, ignoring case', () => {
  expect(timezoneNamed('europe/berlin')).toBe('Europe/Berlin');
  expect(timezoneNamed('UTC')).toBe('UTC');
  for (const name of ['', ' ', 'Mars/Olympus', '../etc/passwd', '2026-01-01T00:00[UTC]', '\u0000'])
    expect([name, timezoneNamed(name)]).toEqual([name, null]);
});

test('a local day begins and ends in its timezone', () => {
  expect(new Date(dayStart('2026-03-29', 'Europe/Berlin')).toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(new Date(dayStart('2026-03-29', 'Europe/Berlin', 1)).toISOString()).toBe('2026-03-29T22:00:00.000Z');
  expect(dayBefore(at('2026-03-01T03:00Z'), 'America/New_York', 1)).toBe('2026-02-27');
});
