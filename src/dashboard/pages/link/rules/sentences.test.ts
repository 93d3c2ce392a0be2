import { describe, expect, test } from 'bun:test';
import type { Rule } from './rule.ts';
import { conditionInWords, placeName, ruleInWords } from './sentences.ts';

const rule = (when: Rule['when'], more: Partial<Rule> = {}): Rule => ({
  ...{ id: 'a', name: null, when, destination_url: 'https://example.de' },
  ...more,
});

describe('a rule as a sentence', () => {
  test.each<[Rule['when'], string]>([
    [{}, 'Everybody'],
    [
      { country: ['DE', 'AT'], device: ['mobile'], not: { language: ['en'] } },
      "If the visitor is in Germany or Austria on a phone, and doesn't read English",
    ],
    [{ device: ['mobile', 'tablet'] }, 'If the visitor is on a phone or a tablet'],
    [
      { country: ['US', 'EU', 'XX'] },
      'If the visitor is in the United States, the European Union or an unknown country',
    ],
    [
      { not: { country: ['DE'], device: ['tv'] } },
      'If the visitor is not in Germany, and is not on a television',
    ],
    [
      { os: ['iOS'], browser: ['Safari', 'Chrome'] },
      'If the visitor uses iOS, and browses with Safari or Chrome',
    ],
    [{ source: ['link', 'qr'] }, 'If the visitor follows the link or scans the QR code'],
    [{ not: { source: ['qr'] } }, "If the visitor doesn't scan the QR code"],
    [
      { referrer: ['example.com', '*.example.org', ''] },
      'If the visitor comes from example.com, a host below example.org or no page',
    ],
    [
      { query: { utm_source: ['mail', 'letter'], vip: [] } },
      'If the visitor comes with utm_source=mail or letter and the parameter vip',
    ],
    [{ network: ['192.0.2.0/24'] }, 'If the visitor has an address in 192.0.2.0/24'],
    [
      {
        hours: {
          timezone: 'Europe/Berlin',
          days: ['fr', 'mo', 'tu', 'we', 'th'],
          from: '09:00',
          to: '17:00',
        },
      },
      'If the visitor comes on Monday to Friday between 09:00 and 17:00 (Europe/Berlin)',
    ],
    [
      { hours: { timezone: 'UTC', days: ['mo', 'fr'], to: '12:00' } },
      'If the visitor comes on Monday or Friday between 00:00 and 12:00 (UTC)',
    ],
    [
      { not: { hours: { timezone: 'UTC', from: '22:00', to: '06:00' } } },
      "If the visitor doesn't come on any day between 22:00 and 06:00 (UTC)",
    ],
    [{ country: [] }, 'If the visitor is in …'],
  ])('%j', (when, sentence) => {
    expect(conditionInWords(rule(when), false)).toBe(sentence);
  });

  test('shows both ends of a period', () => {
    const from = '2026-12-01T08:00:00.000Z';
    expect(conditionInWords(rule({ from }), false)).toMatch(/comes from 1 Dec 2026, \d\d:\d\d on$/);
    expect(conditionInWords(rule({ not: { from } }), false)).toMatch(/comes before 1 Dec 2026, \d\d:\d\d$/);
  });

  test('names the remaining visitors, the shares and the destinations', () => {
    const { destination_url: _, ...split } = rule({}, { name: 'Which sells' });
    const variants = [
      { id: 'a', destination_url: 'https://a.example', weight: 2 },
      { id: 'b', destination_url: '', weight: 1 },
    ];
    expect(ruleInWords({ ...split, variants }, true)).toBe(
      'Which sells: Everybody else: go to https://a.example (66.7 %) or … (33.3 %)',
    );
  });

  test('uses articles where country names need them', () => {
    for (const [code, name] of Object.entries({
      NL: 'the Netherlands',
      KY: 'the Cayman Islands',
      FR: 'France',
    }))
      expect(placeName(code)).toBe(name);
  });
});
