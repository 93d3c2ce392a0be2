import { expect, test } from 'bun:test';
import { comparison, keptSince, notCountedSentences, titleOf, uncountedByReason } from './sentences.ts';

const plan = { during: 'in 30 days', beforeName: 'the 30 before' };
const noHits = { page: 0, preview: 0, bot: 0, prefetch: 0, head: 0, repeat: 0, flood: 0 };

test('the title shows the number, and the comparison with the range before', () => {
  expect(titleOf(1204, 1075, plan, 'click')).toBe(
    '1,204 clicks in 30 days, 12\u00a0% more than the 30 before',
  );
  expect(titleOf(1, 4, plan, 'click')).toBe('1 click in 30 days, 75\u00a0% fewer than the 30 before');
  expect(titleOf(0, 14, plan, 'click')).toBe('No clicks in 30 days, 14 in the 30 before');
  expect(titleOf(7, null, plan, 'hit')).toBe('7 hits in 30 days');
  expect(titleOf(0, 0, plan, 'click')).toBe('No clicks in 30 days');
});

test.each([
  [5, 0, null],
  [10, 10, 'as many as in the 30 before'],
  [1001, 1000, 'about as many as in the 30 before'],
  [999, 1000, 'about as many as in the 30 before'],
  [1, 1000, 'over 99\u00a0% fewer than the 30 before'],
  [2, 1, '100\u00a0% more than the 30 before'],
  [120, 10, '12 times as many as in the 30 before'],
  [1_000_000_000, 3, '333,333,333 times as many as in the 30 before'],
])('%i after %i', (current, before, expected) => {
  expect(comparison(current, before, 'the 30 before')).toBe(expected);
});

test('uncounted hits are described, most frequent first, and people separately from machines', () => {
  expect(notCountedSentences({ ...noHits, preview: 240, bot: 60, prefetch: 11 })).toEqual([
    '311 hits were not people: 240 previews, 60 bots, 11 prefetches.',
  ]);
  expect(notCountedSentences({ ...noHits, bot: 1 })).toEqual(['1 hit was not a person: 1 bot.']);
  expect(notCountedSentences({ ...noHits, repeat: 1 })).toEqual([
    '1 hit was a person, but no click: 1 repeated a click within seconds.',
  ]);
  expect(notCountedSentences({ ...noHits, page: 8, repeat: 4 })).toEqual([
    '12 hits were people, but no clicks: 8 met a page (a password, a captcha or an ended link) and went no further; 4 repeated a click within seconds.',
  ]);
  expect(notCountedSentences({ ...noHits, bot: 2, flood: 1500 })).toEqual([
    '2 hits were not people: 2 bots.',
    '1,500 hits were part of a flood: more a minute from one network than any crowd makes.',
  ]);
  expect(notCountedSentences(noHits)).toEqual([]);
});

test('every reason belongs to one kind', () => {
  const group = (value: string, not_counted: number) => ({ value, clicks: 0, not_counted });
  expect(
    uncountedByReason([
      group('preview_agent', 5),
      group('monitor', 2),
      group('known_crawler', 3),
      group('purpose_header', 1),
      group('head_method', 4),
      group('recent_visit', 6),
      group('flood', 9),
      group('reclassified', 10),
      group('browser', 7),
      group('app_browser', 1),
    ]),
  ).toEqual({ page: 8, preview: 5, bot: 5, prefetch: 1, head: 4, repeat: 6, flood: 9 });
});

test('a range that begins before the oldest stored individual clicks shows since when they are stored', () => {
  const stats = { from: '2026-05-01T00:00:00.000Z', raw_since: '2026-05-27T12:00:00.000Z' };
  expect(keptSince(stats)).toBe('27 May 2026');
  expect(keptSince({ ...stats, from: '2026-06-01T00:00:00.000Z' })).toBeNull();
});
