import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { hitText } from '../../test/support/hit-text.ts';
import { headerEvidenceKinds } from '../rules/agents/header-evidence.ts';
import { outcomes } from '../rules/click-fields.ts';
import type { RawHit } from './hit.ts';
import { recordBytes, wholeRecord } from './record.ts';
import { RecordWriter } from './record-writer.ts';

const withoutBreaks = (text: string): string => text.replaceAll('\n', ' ');
const piece = fc.string({ unit: 'binary', maxLength: 30 }).map(withoutBreaks);
const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 30 });
/** ASCII, any characters and lone surrogates, and texts that are longer than what is stored. */
const anyText = fc.oneof(
  ascii,
  piece,
  fc
    .tuple(piece, fc.constantFrom(60, 250, 600, 2_040, 5_000))
    .map(([text, length]) => text.padEnd(length, `${text}ü💚`)),
  fc.constantFrom('\ud83d', 'a\udc9a', 'é'.repeat(16), 'é'.repeat(17)),
);
const anyNumber = fc.oneof(
  fc.nat(),
  fc.constantFrom(
    0,
    1,
    9,
    10,
    99,
    100,
    999_999_999,
    1e9,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    1e21,
    0.5,
    -0,
    -7,
  ),
  fc.nat().map((number) => 10 ** (number % 16)),
);

const anyHit: fc.Arbitrary<RawHit> = fc.record({
  linkId: anyNumber,
  organizationId: anyNumber,
  at: fc.oneof(anyNumber, fc.integer({ min: 1_795_000_000_000, max: 1_795_000_000_003 })),
  outcome: fc.constantFrom(...outcomes),
  target: fc.constantFrom(null, 'default', 'android', 'ios'),
  method: fc.oneof(fc.constantFrom('GET', 'HEAD'), anyText),
  address: fc.oneof(fc.ipV4(), fc.ipV6(), anyText),
  userAgent: anyText,
  acceptLanguage: anyText,
  referer: anyText,
  query: anyText,
  purpose: anyText,
  clientHints: fc.constantFrom(0, 1, 2 ** 24 - 1),
  headerEvidence: fc.constantFrom(...headerEvidenceKinds),
  doNotTrack: fc.boolean(),
  countryHint: fc.oneof(fc.constantFrom('', 'DE'), anyText),
  matchedRule: fc.constantFrom('', '', 'r_a1b2c', 'mine/b'),
  alias: fc.constantFrom('', 'go.example.com/old', 'x.example/ü/2'),
});

/** The text of a record, whose checksum must be right. */
function textOf(record: Buffer): string {
  const { bytes, from, to } = recordBytes(record, 0, wholeRecord(record, 0));
  expect(to).toBe(record.length);
  return bytes.toString('latin1', from, to);
}

const inUtf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

test('a record contains its hits in UTF-8, one field a line, regardless of earlier records', () => {
  const writer = new RecordWriter();
  fc.assert(
    fc.property(fc.array(anyHit, { minLength: 1, maxLength: 6 }), (hits) => {
      for (const hit of hits) writer.add(hit);
      expect(textOf(writer.finish())).toBe(inUtf8(hits.map(hitText).join('')));
    }),
    { numRuns: 500 },
  );
});

test("an alias is written between the country and the rule, whose position doesn't change", () => {
  const writer = new RecordWriter();
  const [hit] = fc.sample(anyHit, 1) as [RawHit];
  const lastLine = (changes: Partial<RawHit>) => {
    writer.add({ ...hit, countryHint: 'CH', alias: '', matchedRule: '', ...changes });
    return textOf(writer.finish()).split('\n').at(-2);
  };
  expect(lastLine({})).toBe('CH');
  expect(lastLine({ alias: 'go.example.com/old' })).toBe('CH@go.example.com/old');
  expect(lastLine({ alias: 'go.example.com/old', matchedRule: 'r/a' })).toBe('CH@go.example.com/old r/a');
  expect(lastLine({ matchedRule: 'r/a' })).toBe('CH r/a');
});

test('a record grows with its contents', () => {
  const writer = new RecordWriter();
  const some = fc.sample(anyHit, 100).map((hit) => ({ ...hit, query: '?€'.repeat(2_500) }));
  const hits = Array.from({ length: 30 }, () => some).flat();
  for (const hit of hits) writer.add(hit);
  const record = writer.finish();
  expect(record.length).toBeGreaterThan(24 * 1024 * 1024);
  expect(textOf(record) === inUtf8(hits.map(hitText).join(''))).toBe(true);
});

test('an extremely long text fits too', () => {
  const writer = new RecordWriter();
  const [hit] = fc.sample(anyHit, 1) as [RawHit];
  const longHit = { ...hit, address: '€'.repeat(2_000_000) };
  writer.add(longHit);
  expect(textOf(writer.finish()) === inUtf8(hitText(longHit))).toBe(true);
});
