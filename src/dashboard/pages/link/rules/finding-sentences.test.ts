import { expect, test } from 'bun:test';
import { findingsOf } from '../../../../rules/link-rules/rule-findings.ts';
import { findingInWords } from './finding-sentences.ts';
import type { Rule } from './rule.ts';

const rule = (when: Rule['when'], index: number): Rule => ({
  ...{ id: String(index), name: null, when, destination_url: 'https://example.com' },
});

test.each<[readonly Rule['when'][], readonly string[]]>([
  [[{}, { country: ['DE'] }], ['Never reached: rule 1 is for everybody, and comes first.']],
  [
    [{ country: ['DE'] }, { country: ['DE'], device: ['tv'] }],
    ['Never reached: all its visitors are redirected by rule 1, which comes first.'],
  ],
  [
    [{ country: ['DE'] }, { country: ['AT'] }, { country: ['AT', 'DE'] }],
    ['Never reached: all its visitors are redirected by rules 1 and 2, which come first.'],
  ],
  [
    [{ country: ['US', 'FR'] }, { country: ['US', 'DE'] }],
    ['If the visitor is in the United States, rule 1 comes first.'],
  ],
  [
    [{ country: ['DE'], not: { country: ['DE'] } }],
    ['Never matches: Germany is both required and excluded.'],
  ],
  [
    [{ country: ['DE', 'AT', 'FR'], not: { country: ['DE', 'AT'] } }],
    ['Germany and Austria are both required and excluded, which never matches.'],
  ],
  [[{ not: { source: ['link', 'qr'] } }], ['Never matches: every source is excluded.']],
  [
    [{ query: { a: [] }, not: { query: { a: [] } } }],
    ['Never matches: the same parameters are both required and excluded.'],
  ],
  [
    [{ from: '2031-01-02T00:00:00.000Z', to: '2031-01-01T00:00:00.000Z' }],
    ['Never matches: it ends before it begins.'],
  ],
  [
    [{ to: '2020-01-01T12:00:00.000Z' }],
    [expect.stringContaining("It doesn't match any more: it ended on 1 Jan 2020")],
  ],
])('%j', (whens, sentences) => {
  const rules = whens.map(rule);
  const findings = findingsOf(rules, Date.parse('2026-12-01T12:00:00Z')).at(-1) ?? [];
  expect(findings.map((finding) => findingInWords(finding, rules))).toEqual([...sentences]);
});
