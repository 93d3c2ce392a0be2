import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hourLength } from '../durations.ts';
import { type Condition, conditionsIn, isMet } from './rule-conditions.ts';
import { covers } from './rule-coverage.ts';
import type { PlainConditions, RuleConditions } from './rule-fields.ts';
import { findingsOf, firstUnconditionalRule, type RuleFinding } from './rule-findings.ts';
import { parametersIn, type Visitor } from './visitor.ts';

const now = Date.parse('2026-12-01T12:00:00Z');
const hours = (from: string, to: string, ...days: ('mo' | 'tu' | 'we' | 'th' | 'fr' | 'sa' | 'su')[]) => ({
  timezone: 'Europe/Berlin',
  ...{ from, to },
  ...(days.length > 0 && { days }),
});

/** The findings about the last of these rules. */
const findingsOfLast = (...whens: readonly RuleConditions[]): readonly RuleFinding[] | undefined =>
  findingsOf(
    whens.map((when) => ({ when })),
    now,
  ).at(-1);

describe('a single rule', () => {
  test.each<[RuleConditions, readonly RuleFinding[]]>([
    [{ country: ['DE'], not: { language: ['en'] } }, []],
    [{ from: '2027-01-02T00:00:00Z', to: '2027-01-01T00:00:00Z' }, [{ kind: 'reversed' }]],
    [{ from: '2027-01-02T00:00:00Z', not: { from: '2027-01-02T00:00:00Z' } }, [{ kind: 'reversed' }]],
    [{ to: '2026-12-01T12:00:00Z' }, [{ kind: 'over', at: now }]],
    [
      { country: ['DE', 'AT'], not: { country: ['AT'] } },
      [{ kind: 'excluded', key: 'country', values: ['AT'], isAll: false }],
    ],
    [
      { country: ['DE'], not: { country: ['EU'] } },
      [{ kind: 'excluded', key: 'country', values: ['DE'], isAll: true }],
    ],
    [{ country: ['EU'], not: { country: ['DE'] } }, []],
    [
      { language: ['pt-BR'], not: { language: ['pt'] } },
      [{ kind: 'excluded', key: 'language', values: ['pt-BR'], isAll: true }],
    ],
    [{ language: ['pt'], not: { language: ['pt-BR'] } }, []],
    [{ not: { source: ['link', 'qr'] } }, [{ kind: 'excluded', key: 'source', values: [], isAll: true }]],
    [
      { query: { a: ['x'], b: [] }, not: { query: { a: [] } } },
      [{ kind: 'excluded', key: 'query', values: [], isAll: true }],
    ],
    [
      { hours: hours('10:00', '12:00', 'mo'), not: { hours: hours('09:00', '17:00') } },
      [{ kind: 'excluded', key: 'hours', values: [], isAll: true }],
    ],
    [{ country: [], not: { country: ['DE'] } }, []],
  ])('%j', (when, findings) => {
    expect(findingsOfLast(when) ?? []).toEqual([...findings]);
  });
});

const firstCovers: RuleFinding = { kind: 'never_reached', by: [0] };

describe('a rule after another', () => {
  test.each<[RuleConditions, RuleConditions, readonly RuleFinding[]]>([
    [{}, { country: ['DE'] }, [firstCovers]],
    [{ country: ['DE'] }, {}, []],
    [{ country: ['DE'] }, { country: ['DE'], device: ['mobile'] }, [firstCovers]],
    [{ country: ['EU'] }, { country: ['DE', 'FR'] }, [firstCovers]],
    [{ not: { country: ['US'] } }, { country: ['DE'] }, [firstCovers]],
    [{ not: { country: ['US'] } }, { not: { country: ['US', 'CA'] } }, [firstCovers]],
    [{ device: ['mobile', 'tablet'] }, { not: { device: ['desktop', 'tv', 'other'] } }, [firstCovers]],
    [{ language: ['de'] }, { language: ['de-AT'] }, [firstCovers]],
    [{ language: ['de-AT'] }, { language: ['de'] }, []],
    [{ referrer: ['*.example.com'] }, { referrer: ['shop.example.com'] }, [firstCovers]],
    [{ referrer: ['*.example.com'] }, { referrer: ['www.example.com'] }, []],
    [{ not: { referrer: ['*.example.com'] } }, { referrer: ['example.com'] }, []],
    [{ not: { referrer: ['*.example.com'] } }, { referrer: ['notexample.com'] }, [firstCovers]],
    [{ query: { a: [] } }, { query: { a: ['x'], b: [] } }, [firstCovers]],
    [{ query: { a: ['x'] } }, { query: { a: [] } }, []],
    [{ from: '2027-01-01T00:00:00Z' }, { from: '2027-02-01T00:00:00Z' }, [firstCovers]],
    [{ hours: hours('08:00', '18:00') }, { hours: hours('09:00', '17:00', 'mo') }, [firstCovers]],
    [{ hours: hours('22:00', '06:00', 'mo') }, { hours: hours('01:00', '05:00', 'tu') }, [firstCovers]],
    [{ hours: hours('08:00', '18:00') }, { hours: { ...hours('09:00', '17:00'), timezone: 'UTC' } }, []],
    [{ not: { hours: hours('09:00', '17:00') } }, { hours: hours('17:00', '20:00') }, [firstCovers]],
    [{ network: ['10.0.0.0/8'] }, { network: ['10.1.0.0/16'] }, []],
    [
      { country: ['DE'] },
      { country: ['DE', 'AT'], device: ['mobile'] },
      [{ kind: 'partly_reached', key: 'country', values: ['DE'], by: 0 }],
    ],
    [{ country: ['DE'], device: ['mobile'] }, { country: ['DE', 'AT'] }, []],
    // A rule that matches nobody gets no other finding.
    [{}, { from: '2027-01-02T00:00:00Z', to: '2027-01-01T00:00:00Z' }, [{ kind: 'reversed' }]],
    [
      {},
      { country: ['DE'], not: { country: ['DE'] } },
      [{ kind: 'excluded', key: 'country', values: ['DE'], isAll: true }],
    ],
    [
      {},
      { country: ['DE', 'AT'], not: { country: ['AT'] } },
      [{ kind: 'excluded', key: 'country', values: ['AT'], isAll: false }, firstCovers],
    ],
  ])('%j %j', (first, second, findings) => {
    expect(findingsOfLast(first, second) ?? []).toEqual([...findings]);
  });

  test('is never reached if earlier ones cover all its visitors', () => {
    expect(findingsOfLast({ country: ['DE'] }, { country: ['AT', 'FR'] }, { country: ['AT', 'DE'] })).toEqual(
      [{ kind: 'never_reached', by: [0, 1] }],
    );
  });

  test('for everyone leaves no visitors to later rules', () => {
    const rules = [{ when: { country: ['DE'] } }, { when: {} }, { when: { device: ['mobile' as const] } }];
    expect(firstUnconditionalRule(rules)).toBe(1);
    expect(firstUnconditionalRule(rules.slice(0, 1))).toBe(-1);
  });
});

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const every = fc.record({
  country: some('DE', 'FR', 'US', 'EU', 'XX'),
  device: some('desktop', 'mobile', 'tablet', 'tv', 'other'),
  language: some('de', 'de-at', 'pt-br', 'pt'),
  referrer: some('', 'example.com', 'www.example.com', '*.example.com', 'a.example.com', '*.a.example.com'),
  query: fc.constantFrom<Record<string, string[]>>({ a: [] }, { a: ['x'] }, { a: ['x', 'y'], b: [] }),
  from: fc.constantFrom('2026-12-01T00:00:00Z', '2026-12-03T00:00:00Z'),
  to: fc.constantFrom('2026-12-02T00:00:00Z', '2026-12-04T00:00:00Z'),
  hours: fc.constantFrom(
    hours('09:00', '17:00'),
    hours('22:00', '06:00', 'tu'),
    hours('10:00', '12:00', 'we', 'th'),
  ),
  source: some('qr', 'link'),
});
const keys = ['country', 'device', 'language', 'referrer', 'query', 'from', 'to', 'hours', 'source'] as const;
/** Only a few keys, as hardly any visitor would match more. */
const plain = fc
  .tuple(every, fc.subarray([...keys], { maxLength: 2 }))
  .map(([all, chosen]): PlainConditions => Object.fromEntries(chosen.map((key) => [key, all[key]])));
const conditions = fc
  .record({ plain, not: plain })
  .map(({ plain: when, not }): RuleConditions => ({ ...when, not }));

interface DrawnVisitor {
  readonly country: string;
  readonly device: string;
  readonly language: string;
  readonly referrer: string;
  readonly search: string;
}
const visitor = fc.record<DrawnVisitor>({
  country: fc.constantFrom('DE', 'FR', 'US', 'XX', 'EU'),
  device: fc.constantFrom('desktop', 'mobile', 'tv'),
  language: fc.constantFrom('de', 'de-at', 'pt', 'pt-br', 'en'),
  referrer: fc.constantFrom(
    '',
    'example.com',
    'www.example.com',
    'a.example.com',
    'b.a.example.com',
    'www.a.example.com',
  ),
  search: fc.constantFrom('', '?a', '?a=x', '?a=y&b', '?a=x&a=z&b=1', '?qr'),
});
/** Has only what these conditions check. */
const visitorOf = ({ country, device, language, referrer, search }: DrawnVisitor) =>
  ({
    country: () => country,
    language: () => language,
    referrer: () => referrer,
    search: () => search,
    parameters: () => parametersIn(search),
    traits: () => ({ device, os: '', browser: '' }),
  }) as unknown as Visitor;
const allMet = (list: readonly Condition[], drawn: DrawnVisitor, at: number) =>
  list.every((condition) => isMet(condition, visitorOf(drawn), at));

test('any visitor who matches a rule also matches the rules that are reported to cover it', () => {
  let matched = 0;
  fc.assert(
    fc.property(
      conditions,
      conditions,
      fc.array(visitor, { minLength: 20, maxLength: 20 }),
      fc.nat(4 * 24),
      (first, other, visitors, hour) => {
        // Often a restriction of the first, so that the first often covers it.
        const second = hour % 4 === 0 ? other : { ...first, ...other, not: { ...first.not, ...other.not } };
        if (!covers(first, second)) return;
        const at = Date.parse('2026-12-01T00:00:00Z') + hour * hourLength;
        const [firstConditions, secondConditions] = [conditionsIn(first), conditionsIn(second)];
        for (const drawn of visitors) {
          if (!allMet(secondConditions, drawn, at)) continue;
          matched++;
          expect(allMet(firstConditions, drawn, at)).toBe(true);
        }
      },
    ),
    { numRuns: 1_000 },
  );
  expect(matched).toBeGreaterThan(250);
});
