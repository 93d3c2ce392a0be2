import { describe, expect, test } from 'bun:test';
import { hourLength } from '../../rules/durations.ts';
import { dayOf } from '../format.ts';
import { instantsOf, planOf, rangeIn, writtenRange } from './range.ts';

const at = (text: string): number => new Date(text).getTime();
const now = at('2026-11-20T14:20:00');
const plan = (search: string) => planOf(rangeIn(search), now);
const localInstant = (text: string): string => new Date(text).toISOString();
/** Hours are UTC hours, also where local time is half an hour off. */
const endOfHour = (text: string): string =>
  new Date(Math.ceil(at(text) / hourLength) * hourLength).toISOString();

describe('the time range in the URL', () => {
  test('is 30 days if missing or invalid', () => {
    for (const text of ['', '?range=', '?range=9y', '?range=2026-02-30..2026-03-01', '?range=1..2..3'])
      expect(rangeIn(text)).toEqual({ kind: 'rolling', name: '30d' });
  });

  test('is read as it was written, and reversed days are swapped', () => {
    for (const text of ['24h', '7d', '90d', '12m', '2026-11-01..2026-11-09'])
      expect(writtenRange(rangeIn(`?range=${text}`))).toBe(text);
    expect(writtenRange(rangeIn('?range=30d'))).toBeNull();
    expect(rangeIn('?range=2026-11-09..2026-11-01')).toEqual({
      kind: 'custom',
      from: '2026-11-01',
      to: '2026-11-09',
    });
  });

  test('in days includes today, and is compared with as many earlier days, up to the same hour', () => {
    expect(plan('')).toMatchObject({
      span: { from: '2026-10-22', interval: 'day' },
      before: { from: '2026-09-22', to: endOfHour('2026-10-21T14:20:00') },
      isOngoing: true,
    });
    expect(plan('?range=7d').span).toEqual({ from: '2026-11-14', interval: 'day' });
  });

  test('of 24 hours has 24 points, the current hour being the last', () => {
    expect(plan('?range=24h')).toMatchObject({
      span: { from: endOfHour('2026-11-19T14:20:00'), interval: 'hour' },
      before: { from: endOfHour('2026-11-18T14:20:00'), to: endOfHour('2026-11-19T14:20:00') },
    });
  });

  test('of 12 months is the current month and the 11 before it', () => {
    expect(plan('?range=12m')).toMatchObject({
      span: { from: '2025-12-01', interval: 'month' },
      before: { from: '2024-12-01', to: endOfHour('2025-11-20T14:20:00') },
    });
    const leapDay = planOf(rangeIn('?range=12m'), at('2028-02-29T14:20:00'));
    expect(leapDay.span.from).toBe('2027-03-01');
    expect(leapDay.before.to).toBe(localInstant('2027-03-01T00:00:00'));
  });

  test('of chosen days has an interval that fits, and a past range is compared with whole days', () => {
    expect(plan('?range=2026-11-03..2026-11-09')).toMatchObject({
      span: { from: '2026-11-03', to: '2026-11-09', interval: 'day' },
      before: { from: '2026-10-27', to: localInstant('2026-11-03T00:00:00') },
      during: 'from 3 to 9 Nov 2026',
      beforeName: 'the 7 days before',
      isOngoing: false,
    });
    expect(plan('?range=2026-11-20..2026-11-20')).toMatchObject({
      span: { interval: 'hour' },
      during: 'on 20 Nov 2026',
      beforeName: 'the day before',
      isOngoing: true,
    });
    expect(plan('?range=2026-01-01..2026-11-20')).toMatchObject({
      span: { interval: 'week' },
      during: 'from 1 Jan to 20 Nov 2026',
    });
    expect(plan('?range=2020-01-01..2026-11-20')).toMatchObject({
      span: { interval: 'month' },
      during: 'from 1 Jan 2020 to 20 Nov 2026',
    });
  });

  test('as instants includes its last day', () => {
    expect(instantsOf({ from: '2026-11-03', to: '2026-11-09' })).toEqual({
      from: localInstant('2026-11-03T00:00:00'),
      to: localInstant('2026-11-10T00:00:00'),
    });
    expect(instantsOf({ from: '2026-11-03' })).toEqual({ from: localInstant('2026-11-03T00:00:00') });
  });

  test('shows a day in the format of its locale', () => {
    expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
  });
});
