import { expect, test } from 'bun:test';
import type { ScheduledChange } from '../../../api-types.ts';
import { plannedChanges } from './sentences.ts';

const planned = (changes: ScheduledChange['changes']) =>
  plannedChanges({ changes } as ScheduledChange, [{ id: 3, name: 'spring' }]).map(({ label, words }) => [
    label,
    words,
  ]);

test('a scheduled change is described as it was sent', () => {
  expect(planned({ name: 'Sale', disabled: true, notes: null, password: null })).toEqual([
    ['Name', 'Sale'],
    ['Disabled', 'On'],
    ['Notes', null],
    ['Password', null],
  ]);
  expect(planned({ add_tags: [3, 4], remove_tags: [] })).toEqual([['Tags added', 'spring, Tag 4']]);
  expect(planned({ webhook_events: ['click', 'link.updated'] })).toEqual([
    ['Webhook events', 'click, link.updated'],
  ]);
});

test('rules have no ids or names before they are applied', () => {
  const rule = { when: { country: ['DE'] }, destination_url: 'https://example.de/' };
  const hours = { timezone: 'Europe/Berlin', from: '09:00', to: '17:00' };
  const split = { when: { hours }, variants: [{ destination_url: 'https://example.com/a', weight: 1 }] };
  const [[label, words] = []] = planned({ rules: [rule, split] });
  expect(label).toBe('Rules');
  expect(words).toContain('example.de');
  expect(words).not.toContain('undefined');
  expect(planned({ rules: [] })).toEqual([['Rules', null]]);
});
