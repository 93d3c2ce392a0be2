import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { plainHit } from '../../test/support/plain-hit.ts';
import { HitCursor } from '../ledger/fold/hit-cursor.ts';
import { quietClick } from '../visit/hit.ts';
import { type Position, segmentFile } from './files.ts';
import type { RawHit } from './hit.ts';
import { type Flaw, JournalReader } from './reader.ts';
import { RecordWriter } from './record-writer.ts';
import { findRecord } from './resync.ts';

const hitAt = (at: number, fields: Partial<RawHit> = {}): RawHit => ({
  ...plainHit,
  at,
  address: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (ü)',
  acceptLanguage: 'de',
  referer: 'https://example.com/',
  query: '?a=1',
  ...fields,
});

const quietLink = { id: 7, organizationId: 1, destinationUrl: 'https://example.com/', options: null };

const writer = new RecordWriter();
function recordOf(hits: readonly RawHit[]): Buffer {
  for (const hit of hits) writer.add(hit);
  return Buffer.from(writer.finish());
}

/** The times of all hits in a journal of these segments, and the flaws found in it. */
function readAll(segments: readonly Uint8Array[], from: Position = { segment: 1, offset: 0 }) {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'));
  try {
    for (const [index, bytes] of segments.entries()) writeFileSync(segmentFile(folder, index + 1), bytes);
    return readFrom(folder, from);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readFrom(folder: string, from: Position, end: Position | null = null) {
  const flaws: Flaw[] = [];
  const reader = new JournalReader(folder, from, (flaw) => flaws.push(flaw));
  const cursor = new HitCursor();
  const found: number[] = [];
  for (let record = reader.next(end); record !== null; record = reader.next(end)) {
    cursor.begin(record);
    while (cursor.next()) found.push(cursor.at);
  }
  // Another call returns nothing, and reports no further flaw.
  expect(reader.next(end)).toBe(null);
  const { position } = reader;
  reader.close();
  return { found, flaws, position };
}

test('a flipped bit anywhere loses only the record that contains it', () => {
  const records = [1, 2, 3].map((at) =>
    recordOf([
      hitAt(at * 10, { doNotTrack: at === 3 }),
      hitAt(at * 10 + 1, { outcome: 'expired', target: null, method: 'PROPFIND' }),
      quietClick(quietLink, at * 10 + 2),
    ]),
  );
  const [first, second] = records.map((record) => record.length) as [number, number];
  for (let byte = 0; byte < second; byte++)
    for (const bit of [0, 3, 7]) {
      const bytes = Buffer.concat(records);
      const at = first + byte;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      const { found, flaws } = readAll([bytes]);
      expect(found).toEqual([10, 11, 12, 30, 31, 32]);
      expect(flaws).toEqual([{ kind: 'damaged', segment: 1, offset: first, bytes: second }]);
    }
});

test('damage at the end of a segment is detected, and the next segment is read', () => {
  const [one, two, three] = [1, 2, 3].map((at) => recordOf([hitAt(at)])) as [Buffer, Buffer, Buffer];
  for (const at of [4, 20, two.length - 1]) {
    const broken = Buffer.from(two);
    broken.writeUInt8(broken.readUInt8(at) ^ 1, at);
    const { found, flaws } = readAll([Buffer.concat([one, broken]), three]);
    expect(found).toEqual([1, 3]);
    expect(flaws).toEqual([{ kind: 'damaged', segment: 1, offset: one.length, bytes: two.length }]);
  }
  // Its length reaches beyond the end of the segment, but its checksum matches the bytes that are there.
  const longer = Buffer.from(two);
  longer.writeUInt32LE(two.length + 1_000, 0);
  expect(readAll([Buffer.concat([one, longer]), three]).flaws).toMatchObject([{ kind: 'damaged' }]);
  const zeros = readAll([Buffer.concat([one, Buffer.alloc(500)]), three]);
  expect(zeros).toMatchObject({ found: [1, 3], flaws: [{ kind: 'torn', bytes: 500 }] });
});

interface Change {
  readonly kind: 'flip' | 'zeros' | 'cut' | 'copy' | 'overwrite' | 'garbage';
  readonly from: number;
  readonly length: number;
  readonly to: number;
}

const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('flip', 'zeros', 'cut', 'copy', 'overwrite', 'garbage'),
  from: part,
  length: part,
  to: part,
});

const random = (length: number): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(length)));

function changed(bytes: Buffer, { kind, ...parts }: Change): Buffer {
  const size = bytes.length;
  if (size === 0) return bytes;
  const from = Math.floor(parts.from * size);
  const length = Math.min(size - from, 1 + Math.floor(parts.length * Math.min(size, 1_500)));
  const to = Math.floor(parts.to * size);
  const range = bytes.subarray(from, from + length);
  const put = (at: number, replacement: Uint8Array, replaced: number) =>
    Buffer.concat([bytes.subarray(0, at), replacement, bytes.subarray(Math.min(size, at + replaced))]);
  switch (kind) {
    case 'flip':
      return put(from, Buffer.of((bytes[from] ?? 0) ^ (1 << Math.floor(parts.to * 8))), 1);
    case 'zeros':
      return put(from, Buffer.alloc(length), length);
    case 'cut':
      return put(from, Buffer.alloc(0), length);
    case 'copy':
      return put(to, range, 0);
    case 'overwrite':
      return put(to, range, length);
    case 'garbage':
      return put(from, random(length), length);
  }
}

function offsetsIn(bytes: Buffer, record: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(record); at >= 0; at = bytes.indexOf(record, at + 1)) offsets.push(at);
  return offsets;
}

/** A record may end in the byte that the next one begins with, if its last byte was overwritten by a copy of the same value. */
const haveOverlap = (ranges: readonly { from: number; to: number }[]): boolean =>
  ranges
    .toSorted((one, other) => one.from - other.from)
    .some(({ from }, index, sorted) => from < (sorted[index - 1]?.to ?? 0));

/** The number of hits, the length of a text in each of them, and whether their links are quiet. */
const anyRecord = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 300 }), fc.boolean());
const anyRecords = fc.array(anyRecord, { minLength: 1, maxLength: 40 });

test('whatever damage a segment has, each intact record is read as often as it occurs, in order if none was moved', () => {
  fc.assert(
    fc.property(anyRecords, fc.array(anyChange, { minLength: 1, maxLength: 4 }), (sizes, changes) => {
      let at = 1_795_000_000_000;
      const written = sizes.map(([hits, length, isQuiet]) =>
        Array.from({ length: hits }, () => {
          at += 1;
          if (isQuiet) return quietClick(quietLink, at);
          return hitAt(at, { userAgent: 'a'.repeat(length), query: `?${at}` });
        }),
      );
      const records = written.map(recordOf);
      let bytes: Buffer = Buffer.concat(records);
      for (const change of changes) bytes = changed(bytes, change);
      const intact: number[] = [];
      const ranges: { from: number; to: number }[] = [];
      for (const [index, hits] of written.entries()) {
        const record = records[index] as Buffer;
        for (const from of offsetsIn(bytes, record)) {
          intact.push(...hits.map((hit) => hit.at));
          ranges.push({ from, to: from + record.length });
        }
      }
      fc.pre(!haveOverlap(ranges));
      const { found } = readAll([bytes]);
      expect(found.toSorted((one, other) => one - other)).toEqual(
        intact.toSorted((one, other) => one - other),
      );
      const isMoved = changes.some(({ kind }) => kind === 'copy' || kind === 'overwrite');
      if (!isMoved) expect(found).toEqual(intact);
    }),
    { numRuns: 750 },
  );
});

test('identical visits all count, even after damage and after a clock was set back', () => {
  const identical = recordOf([hitAt(5_000)]);
  const later = recordOf([hitAt(9_000)]);
  const { found } = readAll([
    Buffer.concat([identical, identical, Buffer.alloc(20, 'x'), identical, later, identical]),
  ]);
  expect(found).toEqual([5_000, 5_000, 5_000, 9_000, 5_000]);
});

test("a visitor can't forge a record, even knowing everything that follows", () => {
  const forgedFields = {
    userAgent: '1795000000000',
    acceptLanguage: '5',
    referer: '7',
    query: '00',
    purpose: '9',
  };
  const hits = [hitAt(1, forgedFields), hitAt(2, forgedFields), hitAt(3, forgedFields)];
  const outer = recordOf(hits);
  const size = outer.length;
  const hitOffsets = [0, 1].map((index) => size - (recordOf(hits.slice(index + 1)).length - 8));
  for (let at = 1; at < size - 8; at++) {
    const forged = Buffer.from(outer);
    forged.writeUInt32LE(size - at - 8, at);
    forged.writeUInt32LE(Bun.hash.crc32(forged.subarray(at + 8)), at + 4);
    const found = findRecord((from, length) => forged.subarray(from, from + length), at, size);
    // Only before a whole hit, where the head overwrites lines of the previous hit: no field is as long as that.
    expect(found).toBe(hitOffsets.includes(at + 8) ? at : null);
  }
});

test('a record that begins at the end of one read and ends in the next is found', () => {
  const record = recordOf([hitAt(1)]);
  for (const overlap of [1, 8, 9, 10, record.length - 1, record.length]) {
    const bytes = Buffer.concat([Buffer.alloc(1024 * 1024 - overlap), record]);
    const found = findRecord((from, length) => bytes.subarray(from, from + length), 0, bytes.length);
    expect([overlap, found]).toEqual([overlap, bytes.length - record.length]);
  }
});

test('searching a large segment of garbage takes seconds, and intact records in it are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'));
  try {
    const size = 24 * 1024 * 1024;
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 65_536) random(65_536).copy(bytes, at);
    // Heads with the largest length that fits, before what could be a hit.
    for (let at = 1_000; at < size - 1_000; at += 40_000) {
      bytes.writeUInt32LE(size - at - 8, at);
      bytes[at + 8] = 49;
    }
    const record = recordOf([hitAt(1)]);
    record.copy(bytes, 1_048_570);
    record.copy(bytes, 700);
    writeFileSync(segmentFile(folder, 1), bytes);
    const { found } = readFrom(folder, { segment: 1, offset: 0 });
    expect(found[0]).toBe(1);
    truncateSync(segmentFile(folder, 1), 500);
    expect(readFrom(folder, { segment: 1, offset: 800 }).flaws).toEqual([
      { kind: 'truncated', segment: 1, offset: 500, bytes: 300 },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
