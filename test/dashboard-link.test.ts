import { describe, expect, test } from 'bun:test';
import { contrast, readability } from '../src/dashboard/pages/link/colour.ts';
import { draftOn, type Fields, isSame, patchOf } from '../src/dashboard/pages/link/fields.ts';
import { distanceTo, instantOfLocal, localOf } from '../src/dashboard/pages/link/local-instant.ts';
import { clicksLeftOf, readLimit } from '../src/dashboard/pages/link/read-limit.ts';
import { fileName } from '../src/dashboard/parts/file-name.ts';

const tag = (id: number) => ({ id, name: `tag ${id}`, created_at: '', organization_id: 1 });

const base: Fields = {
  destination_url: 'https://example.com/',
  domain: 'https://go.example',
  suffix: 'spring',
  aliases: [],
  notes: '',
  disabled: false,
  archived: false,
  on_paper: false,
  statistics: true,
  watch_destination: null,
  name: 'before',
  tags: [tag(1), tag(2)],
  android_link_destination: '',
  ios_link_destination: '',
  rules: [],
  og_title: '',
  og_description: '',
  og_image: '',
  password: '',
  start_date: null,
  before_start_url: '',
  expiration_date: null,
  click_limit: null,
  expired_url: '',
  bot_protection: false,
  captcha: false,
  qr_code_foreground_hex: '#000000',
  qr_code_background_hex: '#FFFFFF',
  qr_code_marker: false,
  webhook_url: '',
  webhook_auth_key: '',
  webhook_events: ['click', 'link.deleted'],
};

describe('a draft', () => {
  test('drops unchanged values, with lists in any order', () => {
    const draft = draftOn(base, {
      name: 'before',
      tags: [tag(2), tag(1)],
      webhook_events: ['link.deleted', 'click'],
      og_title: 'new',
    });
    expect(draft).toEqual({ og_title: 'new' });
  });

  test('keeps reordered rules, and drops those that only express the same differently', () => {
    const [german, unconditional] = [
      {
        id: 'a',
        name: null,
        when: { country: ['DE'], device: ['mobile' as const] },
        destination_url: 'https://a.example',
      },
      { id: 'b', name: null, when: {}, destination_url: 'https://b.example' },
    ];
    const sameGerman = { ...german, when: { device: ['mobile' as const], country: ['DE'] } };
    const withRules: Fields = { ...base, rules: [german, unconditional] };
    expect(draftOn(withRules, { rules: [sameGerman, unconditional] })).toEqual({});
    expect(draftOn(withRules, { rules: [unconditional, german] })).toEqual({
      rules: [unconditional, german],
    });
    expect(draftOn(withRules, { rules: [] })).toEqual({ rules: [] });
  });

  test('sends tags as additions and removals', () => {
    expect(patchOf(base, { tags: [tag(2), tag(3)], name: '' })).toEqual({
      name: '',
      add_tags: [3],
      remove_tags: [1],
    });
  });

  test('sends aliases as additions and removals, however they are encoded', () => {
    const aliases = ['https://x.example/gr%C3%BCn', 'https://x.example/old'];
    const after = ['https://x.example/grün', 'https://x.example/new'];
    expect(patchOf({ ...base, aliases }, { aliases: after })).toEqual({
      add_aliases: ['https://x.example/new'],
      remove_aliases: ['https://x.example/old'],
    });
  });

  test('distinguishes a removed password from an unchanged one', () => {
    expect(draftOn(base, { password: '' })).toEqual({});
    expect(patchOf(base, draftOn(base, { password: null }))).toEqual({ password: null });
  });

  test('does not treat a list as equal to a longer one', () => {
    expect(isSame([tag(1)], [tag(1), tag(2)])).toBe(false);
    expect(isSame([], [])).toBe(true);
    expect(isSame(null, '')).toBe(false);
  });
});

describe('colours of a QR code', () => {
  test('have a contrast measured as in WCAG', () => {
    expect(contrast('#000000', '#FFFFFF')).toBeCloseTo(21);
    expect(contrast('#777777', '#FFFFFF')).toBeCloseTo(4.48, 2);
    expect(contrast('#ff0000', '#FF0000')).toBe(1);
  });

  test('cause a warning if a phone may not read them', () => {
    expect(readability('#000000', '#FFFFFF')).toBeNull();
    expect(readability('#FFEE00', '#FFFFFF')).toContain('contrast 1.2');
    expect(readability('#FFFFFF', '#000000')).toContain('Light on dark');
  });
});

describe('the instant of an expiration', () => {
  const now = Date.parse('2030-01-31T12:00:00Z');
  test.each([
    ['2030-01-31T12:20:00Z', 'in 20 minutes'],
    ['2030-01-31T15:00:00Z', 'in 3 hours'],
    ['2030-02-03T12:00:00Z', 'in 3 days'],
    ['2030-03-02T12:00:00Z', 'in 30 days'],
    ['2031-01-31T12:00:00Z', 'in 12 months'],
    ['2040-01-31T12:00:00Z', 'in 10 years'],
    ['2030-01-28T12:00:00Z', '3 days ago'],
  ])('%s is %s', (iso, words) => {
    expect(distanceTo(iso, now)).toBe(words);
  });

  test('is read from its field as it was set, to the minute', () => {
    const iso = '2030-06-15T08:30:00.000Z';
    expect(instantOfLocal(localOf(iso))).toBe(iso);
    expect(instantOfLocal('')).toBeNull();
    expect(instantOfLocal('12030-01-01T00:00')).toBeNull();
    expect(localOf(null)).toBe('');
  });
});

test.each([
  ['spring', 'spring'],
  ['Frühling-🦊', 'Frühling'],
  ['../..', 'qr-code'],
  ['a/b:c', 'a-b-c'],
  ['🦊', 'qr-code'],
  ['☀️', 'qr-code'],
  ['1️⃣', '1'],
  ['สวัสดี/नमस्ते', 'สวัสดี-नमस्ते'],
  [`a${'𠮷'.repeat(60)}`, `a${'𠮷'.repeat(39)}`],
  [`${'a'.repeat(79)}/b`, 'a'.repeat(79)],
])('the QR code of %j is saved as %j', (suffix, name) => {
  expect(fileName(suffix)).toBe(name);
});

describe('a click limit', () => {
  test.each([
    ['500', 500],
    [' 1,000 ', 1_000],
    ["1'000", 1_000],
    ['', null],
    ['0', undefined],
    ['-5', undefined],
    ['5 clicks', undefined],
    ['1.5', undefined],
    ['1,50', undefined],
    ['1.500.000', 1_500_000],
    ['1000000001', undefined],
  ])('typed as %j is %p', (text, limit) => {
    expect(readLimit(text)).toBe(limit);
  });

  test('shows how many are left: of those used, or of existing clicks', () => {
    expect(clicksLeftOf({ click_limit: 500, clicks_left: 412, clicks: 80 }, 600)).toBe(512);
    expect(clicksLeftOf({ click_limit: 500, clicks_left: 0, clicks: 700 }, 800)).toBe(100);
    expect(clicksLeftOf({ click_limit: null, clicks_left: null, clicks: 88 }, 80)).toBe(0);
  });
});
