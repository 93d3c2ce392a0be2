import { describe, expect, test } from 'bun:test';
import type { LinkHistoryEntry } from '../../../api-types.ts';
import { actionText, actorName, channelText, textDifference, valueText } from './sentences.ts';

const entry = (more: Partial<LinkHistoryEntry> = {}): LinkHistoryEntry => ({
  ...{
    id: 7,
    at: '2026-11-23T12:00:00.000Z',
    action: 'changed',
    back_to: null,
    scheduled: null,
    refusal: null,
  },
  ...{ by: { id: 1, name: 'Ada', email: 'ada@example.com' }, via: 'dashboard', api_key: null, changes: [] },
  ...more,
});
const changes = (...fields: readonly string[]) =>
  fields.map((field) => ({ field, from: null, to: 'x', hidden: false }));

describe('history entries as sentences', () => {
  test.each([
    [['name'], 'changed name'],
    [['name', 'og_title'], 'changed name and card title'],
    [['qr_code_foreground_hex'], 'changed QR code colour'],
    [['name', 'tags', 'notes', 'captcha'], 'changed name, tags, notes and captcha'],
    [['name', 'tags', 'notes', 'captcha', 'password'], 'changed name, tags, notes and 2 more'],
  ])('%p', (fields, sentence) => {
    expect(actionText(entry({ changes: changes(...fields) }))).toBe(sentence);
  });

  test('show who made the change, and through which channel', () => {
    expect(actorName(entry())).toBe('Ada');
    expect(actorName(entry({ by: { id: 1, name: null, email: 'ada@example.com' } }))).toBe('ada@example.com');
    expect(actorName(entry({ by: null }))).toBe('A former member');
    expect(actorName(entry({ by: null, via: 'linnet' }))).toBe('Linnet');
    expect(actorName(entry({ by: null, via: null, action: 'created' }))).toBe('Somebody');
    expect(channelText(entry())).toBeNull();
    expect(channelText(entry({ via: 'api_key', api_key: { id: 1, name: 'CI' } }))).toBe(
      'with the API key "CI"',
    );
    expect(channelText(entry({ via: 'api_key' }))).toBe('with a deleted API key');
    expect(actionText(entry({ back_to: 3, changes: changes('name') }))).toBe('reverted to an earlier state');
    expect(actionText(entry({ scheduled: 3, changes: changes('name') }))).toBe('changed name, as scheduled');
  });

  test('show values as readable text', () => {
    expect(valueText('captcha', true)).toBe('On');
    expect(valueText('tags', [])).toBeNull();
    expect(valueText('tags', [{ id: 1, name: 'spring' }])).toBe('spring');
    expect(valueText('expiration_date', '2031-01-01T12:00:00.000Z')).toContain('2031');
  });

  test.each([
    ['https://a.example/one?x=1', 'https://a.example/two?x=1'],
    ['same', 'same'],
    ['', 'new'],
    ['a a a', 'a a'],
    ['x/y', 'x/y/z'],
  ])('the difference between %p and %p can be joined back to both', (before, after) => {
    const parts = textDifference(before, after);
    expect(parts.start + parts.before + parts.end).toBe(before);
    expect(parts.start + parts.after + parts.end).toBe(after);
  });

  test('the common part of two URLs is not marked as different', () => {
    expect(textDifference('https://a.example/one?x=1', 'https://a.example/two?x=1')).toEqual({
      start: 'https://a.example/',
      before: 'one?',
      after: 'two?',
      end: 'x=1',
    });
  });
});
