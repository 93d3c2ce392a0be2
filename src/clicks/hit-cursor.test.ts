import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { RawHit } from './enrich.ts';
import { HitCursor, type KnownPiece } from './hit-cursor.ts';
import { hitText } from './journal-record.ts';

/** Many are the beginning of another, and some signs are more than a byte. */
const text = fc.constantFrom('', 'a', 'ab', 'abcd', 'abcdé', 'abcdéf', 'ünicode', 'a long one of many signs');

const anyHit: fc.Arbitrary<RawHit> = fc.record({
  linkId: fc.integer({ min: 1, max: 2 ** 33 }),
  organizationId: fc.constant(1),
  at: fc.integer({ min: 0, max: 2 ** 42 }),
  outcome: fc.constant('redirect'),
  target: fc.constantFrom('default', 'ios'),
  method: fc.constantFrom('GET', 'G', ''),
  address: text,
  userAgent: text,
  acceptLanguage: text,
  referer: text,
  query: text,
  purpose: text,
  doNotTrack: fc.boolean(),
  countryHint: text,
});

test('whoever is expected, and how often, a hit is read as it was written', () => {
  const cursor = new HitCursor();
  fc.assert(
    fc.property(fc.array(fc.tuple(anyHit, fc.integer({ min: 1, max: 3 }), fc.boolean())), (draws) => {
      const hits = draws.flatMap(([hit, times]) => Array.from({ length: times }, () => hit));
      const keepsExpecting = draws.flatMap(([, times, keeps]) => Array.from({ length: times }, () => keeps));
      cursor.begin(Buffer.from(hits.map(hitText).join('')));
      for (const [place, hit] of hits.entries()) {
        const expected: KnownPiece | null = cursor.expected;
        expect(cursor.next()).toBe(true);
        expect(cursor.hit).toEqual(hit);
        expect(cursor.isExpected).toBe(expected?.key === cursor.person);
        expect(cursor.isPerson(cursor.person)).toBe(true);
        if (!keepsExpecting[place]) cursor.expected = { key: cursor.person, lines: cursor.personLines };
      }
      expect(cursor.next()).toBe(false);
    }),
    { numRuns: 500 },
  );
});
