import { outcomes, targets } from './hit.ts';
import { doNotTrackMark, recordHeadLength, wholeRecord } from './record.ts';

const windowSize = 1024 * 1024;
/** The number of lines of a hit, and the minimum number of bytes that they take. */
const linesPerHit = 12;
const minHitLength = 17;
/** The lines by which a hit is recognised. */
const codesLine = 3;
const methodLine = 4;
/** Bytes read and checked before a search is given up: some hundred milliseconds for a file that was crafted to be slow. */
const maxSearched = 512 * 1024 * 1024;

const lineBreak = 10;
const zero = 48;
const nine = 57;
const doNotTrackByte = doNotTrackMark.charCodeAt(0);

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
  let line = 0;
  for (let at = from; at < to; ) {
    const found = bytes.indexOf(lineBreak, at);
    if (found < 0 || found >= to || !isLine(bytes, at, found, line)) return false;
    line = (line + 1) % linesPerHit;
    at = found + 1;
  }
  return line === 0 && to > from;
}

function isLine(bytes: Buffer, from: number, to: number, line: number): boolean {
  if (line < codesLine) return to > from && isEvery(bytes, from, to, isNumberByte);
  if (line === codesLine) return isCodes(bytes, from, to);
  // The method of a quiet link's click is empty.
  return line !== methodLine || isEvery(bytes, from, to, isMethodByte);
}

function isCodes(bytes: Buffer, from: number, to: number): boolean {
  const outcome = (bytes[from] ?? 0) - zero;
  const target = (bytes[from + 1] ?? 0) - zero;
  const isMarked = to - from === 3 && bytes[from + 2] === doNotTrackByte;
  const isKnown = outcome >= 0 && outcome < outcomes.length && target >= 0 && target < targets.length;
  return isKnown && (to - from === 2 || isMarked);
}

function isEvery(bytes: Buffer, from: number, to: number, matches: (byte: number) => boolean): boolean {
  for (let at = from; at < to; at++) if (!matches(bytes[at] ?? 0)) return false;
  return true;
}

/** Digits, and the characters of fractions and of very large numbers. */
const isNumberByte = (byte: number): boolean =>
  (byte >= zero && byte <= nine) || byte === 46 || byte === 43 || byte === 45 || byte === 101;

/** Letters and hyphens. */
const isMethodByte = (byte: number): boolean =>
  (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte === 45;
