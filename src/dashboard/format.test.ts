import { expect, test } from 'bun:test';
import { since } from './format.ts';

const now = Date.parse('2026-11-27T09:00:00Z');
const at = (text: string) => since(text, now);

test('the time since an instant is named by how long it is, not by the calendar', () => {
  expect(at('2026-11-27T08:59:30Z')).toBe('just now');
  expect(at('2026-11-27T08:57:01Z')).toBe('2 minutes ago');
  expect(at('2026-11-26T08:00:00Z')).toBe('1 day ago');
  // The day before yesterday, but not two days ago.
  expect(at('2026-11-25T10:00:00Z')).toBe('1 day ago');
  expect(at('2026-11-15T09:00:00Z')).toBe('1 week ago');
});

test('the time until an instant, which may be a deadline, is not rounded up, except by a little', () => {
  expect(at('2026-11-29T08:00:00Z')).toBe('in 2 days');
  expect(at('2026-12-11T08:59:00Z')).toBe('in 2 weeks');
  expect(at('2026-11-27T09:05:00Z')).toBe('in 5 minutes');
  expect(at('2026-11-28T23:00:00Z')).toBe('in 1 day');
  expect(at('2026-12-09T09:00:00Z')).toBe('in 1 week');
});
