import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { hitText } from '../../../test/support/hit-text.ts';
import type { RawHit } from '../../journal/hit.ts';
import { headerEvidenceKinds } from '../../rules/agents/header-evidence.ts';
import { ByteCache } from '../../structures/byte-cache.ts';
import { HitCursor } from './hit-cursor.ts';

/** Many of them are prefixes of another, and some characters take more than one byte. */
const text = fc.constantFrom('', 'a', 'ab', 'abcd', 'abcdé', 'abcdéf', 'ünicode', 'a long one of many signs');

const anyHit: fc.Arbitrary<RawHit> = fc.record({
  linkId: fc.integer({ min: 1, max: 2 ** 33 }),
  organizationId: fc.constantFrom(1, 2, 2 ** 33),
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
  clientHints: fc.constantFrom(0, 1, 2 ** 24 - 1),
  headerEvidence: fc.constantFrom(...headerEvidenceKinds),
  doNotTrack: fc.boolean(),
  countryHint: fc.constantFrom('', 'DE'),
  matchedRule: fc.constantFrom('', '', 'r_a1b2c', 'mine/b'),
  alias: fc.constantFrom('', 'go.example.com/old', 'x.example/ü/2'),
});

const recordBytesOf = (bytes: Buffer) => ({ bytes, from: 0, to: bytes.length });
const visitorOf = ({ method, address, userAgent, acceptLanguage, clientHints }: RawHit): string =>
  [method, address, userAgent, acceptLanguage, clientHints].join('\n');

test('a hit is read as it was written, whatever was read before and however often, and its visitor is found in the cache', () => {
  const cursor = new HitCursor();
  const draws = fc.array(fc.tuple(anyHit, fc.integer({ min: 1, max: 3 })));
  fc.assert(
    fc.property(fc.array(draws, { maxLength: 3 }), (records) => {
      const visitors = new ByteCache<string>(1_000);
      const known = new Set<string>();
      const texts = new ByteCache<string>(1_000);
      for (const drawn of records) {
        const hits = drawn.flatMap(([hit, times]) => Array.from({ length: times }, () => hit));
        let before: string | null = null;
        cursor.begin(recordBytesOf(Buffer.from(hits.map(hitText).join(''))));
        for (const hit of hits) {
          const visitor = visitorOf(hit);
          expect(cursor.next()).toBe(true);
          expect(cursor.hit).toEqual(hit);
          expect(cursor.isSameVisitor).toBe(before === visitor);
          if (!cursor.isSameVisitor) {
            // Beyond 32 bits two organizations may share a hash.
            const cacheKey = `${hit.organizationId | 0}\n${visitor}`;
            expect(cursor.cachedVisitor(visitors)).toBe(known.has(cacheKey) ? cacheKey : undefined);
            cursor.cacheVisitor(visitors, cacheKey);
            known.add(cacheKey);
          }
          expect([cursor.refererFrom(texts, String), cursor.queryFrom(texts, String)]).toEqual([
            hit.referer,
            hit.query,
          ]);
          const { referer, query, purpose, headerEvidence, countryHint, alias, matchedRule } = hit;
          expect(cursor.isBare).toBe(
            [referer, query, purpose, countryHint, alias, matchedRule].join('') === '' &&
              headerEvidence === 'none',
          );
          before = visitor;
        }
        expect(cursor.next()).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('an instant is read as it was written, whatever the one before', () => {
  const cursor = new HitCursor();
  const late = fc.integer({ min: 1_795_000_000_000, max: 1_795_000_400_000 });
  const instant = fc.oneof(
    late,
    fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
    // These have thirteen characters, too.
    late.map((at) => -Math.floor(at / 10)),
    late.map((at) => Math.floor(at / 1_000) + 0.25),
  );
  const plain = fc.sample(anyHit, 1)[0] as RawHit;
  fc.assert(
    fc.property(fc.array(instant, { maxLength: 20 }), (instants) => {
      cursor.begin(recordBytesOf(Buffer.from(instants.map((at) => hitText({ ...plain, at })).join(''))));
      for (const at of instants) expect([cursor.next(), cursor.at]).toEqual([true, at]);
    }),
    { numRuns: 500 },
  );
});
