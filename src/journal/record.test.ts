import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { plainHit } from '../../test/support/plain-hit.ts';
import { HitCursor } from '../ledger/fold/hit-cursor.ts';
import { headerEvidenceKinds } from '../rules/agents/header-evidence.ts';
import { firstLanguage } from '../rules/agents/user-agent.ts';
import { outcomes } from '../rules/click-fields.ts';
import { type Position, segmentFile } from './files.ts';
import type { RawHit } from './hit.ts';
import { JournalReader } from './reader.ts';
import { type RecordBytes, recordBytes, recordHeadLength, wholeRecord } from './record.ts';
import { RecordWriter } from './record-writer.ts';

/** What a header can hold as Bun passes it on: any byte except line breaks and NUL. */
const headerText = fc
  .array(fc.integer({ min: 1, max: 255 }).filter((code) => code !== 10 && code !== 13))
  .map((codes) => String.fromCharCode(...codes).slice(0, 60));

const anyHit: fc.Arbitrary<RawHit> = fc.record({
  linkId: fc.integer({ min: 1, max: 2 ** 40 }),
  organizationId: fc.integer({ min: 1 }),
  at: fc.integer({ min: 0, max: 2 ** 45 }),
  outcome: fc.constantFrom(...outcomes),
  target: fc.constantFrom(null, 'default', 'android', 'ios'),
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
  address: fc.oneof(fc.ipV4(), fc.ipV6()),
  userAgent: headerText,
  acceptLanguage: headerText,
  referer: headerText,
  query: headerText,
  purpose: headerText.map((purpose) => purpose.trimStart()),
  clientHints: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 24 - 1 })),
  headerEvidence: fc.constantFrom(...headerEvidenceKinds),
  doNotTrack: fc.boolean(),
  countryHint: fc.constantFrom('', 'DE'),
  matchedRule: fc.constantFrom('', '', 'r_a1b2c', 'mine/b'),
  alias: fc.constantFrom('', 'go.example.com/old', 'x.example/ü/2'),
});

function recordOf(hits: readonly RawHit[]): Buffer {
  const writer = new RecordWriter();
  for (const hit of hits) writer.add(hit);
  return writer.finish();
}

function hitsOf(record: RecordBytes): RawHit[] {
  const cursor = new HitCursor();
  const hits: RawHit[] = [];
  cursor.begin(record);
  while (cursor.next()) hits.push(cursor.hit);
  return hits;
}

/** The hits of up to `max` records. */
function read(reader: JournalReader, max: number, end: Position | null): RawHit[] {
  const hits: RawHit[] = [];
  for (let records = 0; records < max; records++) {
    const record = reader.next(end);
    if (record === null) break;
    hits.push(...hitsOf(record));
  }
  return hits;
}

test('any request is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(anyHit, { minLength: 1, maxLength: 5 }), (hits) => {
      const bytes = recordOf(hits);
      expect(hitsOf(recordBytes(bytes, 0, wholeRecord(bytes, 0)))).toEqual(hits);
    }),
  );
});

const hitAt = (at: number): RawHit => ({
  ...plainHit,
  at,
  address: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (ü)',
});

test('header evidence is stored in the line of the purpose: earlier versions find every field where they expect it', () => {
  const linesOf = (hit: RawHit) => recordOf([hit]).toString('utf8', recordHeadLength).split('\n');
  const plain = { ...hitAt(1), purpose: 'prefetch', countryHint: 'DE' };
  const lines = linesOf(plain);
  const purpose = lines.indexOf('prefetch');
  expect(linesOf({ ...plain, headerEvidence: 'not_navigation' })).toEqual(lines.with(purpose, ' 1prefetch'));
  expect(linesOf({ ...plain, headerEvidence: 'no_browser_headers' })).toEqual(
    lines.with(purpose, ' 2prefetch'),
  );
});

test('client hints follow the languages, of which earlier versions read the first', () => {
  const languages = (hit: RawHit) => recordOf([hit]).toString('utf8', recordHeadLength).split('\n')[7] ?? '';
  const german = { ...hitAt(1), acceptLanguage: 'de-DE,de;q=0.9' };
  expect(languages(german)).toBe('de-DE,de;q=0.9');
  expect(languages({ ...german, clientHints: 1 })).toBe('de-DE,de;q=0.9 ~0001');
  for (const [acceptLanguage, first] of [
    ['de-DE,de;q=0.9', 'de'],
    ['de', 'de'],
    ['', ''],
  ] as const)
    for (const clientHints of [1, 2 ** 24 - 1, 0xabcdef])
      expect(firstLanguage(languages({ ...hitAt(1), acceptLanguage, clientHints }))).toBe(first);
});

function withJournal(segments: readonly Uint8Array[], use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'));
  try {
    for (const [index, bytes] of segments.entries()) writeFileSync(segmentFile(folder, index + 1), bytes);
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const instants = (hits: readonly RawHit[]) => hits.map(({ at }) => at);
const start = { segment: 1, offset: 0 };

test('a journal that is cut at any byte is read up to its last complete record', () => {
  const first = recordOf([hitAt(1), hitAt(2)]);
  const second = recordOf([hitAt(3)]);
  const bytes = Buffer.concat([first, second]);
  for (let length = 0; length <= bytes.length; length++) {
    withJournal([bytes.subarray(0, length)], (folder) => {
      const torn: number[] = [];
      const reader = new JournalReader(
        folder,
        start,
        ({ kind, bytes }) => kind === 'torn' && torn.push(bytes),
      );
      const hits = read(reader, 100, null);
      const whole = length < first.length ? 0 : length < bytes.length ? first.length : bytes.length;
      expect(instants(hits)).toEqual(whole === 0 ? [] : whole === first.length ? [1, 2] : [1, 2, 3]);
      expect(reader.position).toEqual({ segment: 1, offset: whole });
      expect(torn).toEqual(length === whole ? [] : [length - whole]);
      reader.close();
    });
  }
});

test('a journal in use is only read as far as it is known to be written', () => {
  const records = [1, 2, 3].map((at) => recordOf([hitAt(at)]));
  withJournal([Buffer.concat(records)], (folder) => {
    const reader = new JournalReader(folder, start, ({ kind }) => {
      throw new Error(`nothing is ${kind}`);
    });
    const end = { segment: 1, offset: (records[0]?.length ?? 0) + (records[1]?.length ?? 0) };
    expect(instants(read(reader, 1, end))).toEqual([1]);
    expect(instants(read(reader, 100, end))).toEqual([2]);
    expect(read(reader, 100, end)).toEqual([]);
    expect(reader.position).toEqual(end);
    reader.close();
  });
});

test('records larger than a chunk, and many small ones, are read completely and in order', () => {
  const large = recordOf(Array.from({ length: 30_000 }, (_, at) => hitAt(at)));
  const small = Array.from({ length: 5_000 }, (_, at) => recordOf([hitAt(30_000 + at)]));
  expect(large.length).toBeGreaterThan(1024 * 1024);
  withJournal([Buffer.concat([large, ...small])], (folder) => {
    const reader = new JournalReader(folder, start, () => {});
    const found = instants(read(reader, 10_000, null));
    expect(found).toEqual(Array.from({ length: 35_000 }, (_, at) => at));
    reader.close();
  });
});
