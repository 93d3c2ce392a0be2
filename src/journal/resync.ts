import { outcomes, targets } from '../rules/click-fields.ts';
import { doNotTrackMark, recordHeadLength, wholeRecord } from './record.ts';

const windowSize = 1024 * 1024;
/** The minimum number of bytes that the lines of a hit take. */
const minHitLength = 17;
/** Bytes read and checked before a search is given up: some hundred milliseconds for a file that was crafted to be slow. */
const maxSearched = 512 * 1024 * 1024;

const lineBreak = 10;
const zero = 48;
const nine = 57;

/** Reads bytes of a file into a new buffer; fewer than requested at the end of the file. */
type ReadBytes = (offset: number, length: number) => Buffer;

/**
 * Finds the first whole record at or after `from` in the first `size` bytes of a file; null if there is none.
 *
 * A record's length fits into the file, its checksum matches, and its lines are those of hits. Text that a visitor sent can't be
 * mistaken for a record: it has no line breaks, so lines that start inside it come in the wrong order.
 */
export function findRecord(read: ReadBytes, from: number, size: number): number | null {
  let searched = 0;
  for (let base = from; size - base >= recordHeadLength + minHitLength && searched < maxSearched; ) {
    const window = read(base, Math.min(windowSize, size - base));
    searched += window.length;
    const last = window.length - recordHeadLength - 1;
    for (let at = 0; at <= last; at++) {
      const length = candidateLength(window, at, size - base - at);
      if (length === 0) continue;
      const whole = recordHeadLength + length;
      const isInWindow = at + whole <= window.length;
      const record = isInWindow ? window.subarray(at, at + whole) : read(base + at, whole);
      if (isRecord(record, whole)) return base + at;
      searched += whole;
      if (searched >= maxSearched) return null;
    }
    if (last < 0) return null;
    base += last + 1;
  }
  return null;
}

/** The length of the record that may begin here; 0 if none can. */
function candidateLength(bytes: Buffer, at: number, left: number): number {
  const first = bytes[at + recordHeadLength] ?? 0;
  if (first < zero || first > nine) return 0;
  const length = bytes.readUInt32LE(at);
  return length < minHitLength || recordHeadLength + length > left ? 0 : length;
}

const isRecord = (bytes: Buffer, size: number): boolean =>
  bytes.length === size &&
  bytes[size - 1] === lineBreak &&
  wholeRecord(bytes, 0) === size &&
  isHits(bytes, recordHeadLength, size);

/** Whether these bytes are lines of hits, one after another. */
function isHits(bytes: Buffer, from: number, to: number): boolean {
  const lines = bytes.toString('latin1', from, to);
  hit.lastIndex = 0;
  while (hit.lastIndex < lines.length) if (!hit.test(lines)) return false;
  return true;
}

const lastDigit = (codes: readonly string[]): string => String.fromCharCode(zero + codes.length - 1);

/**
 * Three numbers, which have fractions and exponents in rare cases; the codes; the method, which is empty for a quiet link's click; and
 * seven lines of any text.
 */
const hit = new RegExp(
  `(?:[\\d.+e-]+\n){3}[0-${lastDigit(outcomes)}][0-${lastDigit(targets)}]${doNotTrackMark}?\n[A-Za-z-]*\n(?:[^\n]*\n){7}`,
  'y',
);
