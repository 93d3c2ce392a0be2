import { type RecordBytes, recordHead } from './journal-record.ts';

const zero = 48;
const lineBreak = 10;

/** A record where it lies in its segment. */
export interface PlacedRecord {
  readonly segment: number;
  readonly offset: number;
  readonly record: RecordBytes;
}

/** The segment as it lies on the disk. */
export interface SegmentBytes {
  /** Calls this with every record of the segment before this offset. */
  eachBefore(segment: number, offset: number, look: (placed: PlacedRecord) => void): void;
  read(segment: number, offset: number, length: number): Buffer;
}

/**
 * Tells a record that a disk has put in a second place from one that was written. A copy is byte for byte one that came
 * before, and comes after records of a later time, or of the same time where there was damage or a copy right before.
 * Otherwise it may be another visit of the same millisecond that is alike in everything.
 */
export class CopiedRecords {
  readonly #bytes: SegmentBytes;
  #segment = Number.NaN;
  /** The latest instant of a record in this segment so far. */
  #newest = Number.NEGATIVE_INFINITY;
  /** Offsets by checksum; made when a record is out of order, which most segments have none of. */
  #offsets: Map<number, number> | null = null;
  /** Whether this segment had damage or copies; and whether time has not gone on since. */
  #isDamaged = false;
  #isInDoubt = false;

  constructor(bytes: SegmentBytes) {
    this.#bytes = bytes;
  }

  /** To be asked for every record, in order. */
  isCopy(placed: PlacedRecord, isAfterDamage: boolean): boolean {
    if (placed.segment !== this.#segment) this.#enter(placed);
    if (isAfterDamage) this.#isDamaged = this.#isInDoubt = true;
    const instant = instantOf(placed.record);
    if (Number.isNaN(instant)) return false;
    if (this.#mayHaveBeen(instant)) this.#offsets ??= this.#offsetsBefore(placed);
    if (!this.#mayHaveBeen(instant)) {
      this.#isInDoubt &&= instant === this.#newest;
      this.#newest = instant;
      this.#offsets?.set(checksumOf(placed.record), placed.offset);
      return false;
    }
    const before = this.#offsets?.get(checksumOf(placed.record));
    const isCopy = before !== undefined && this.#isSame(before, placed);
    if (isCopy) this.#isDamaged = true;
    else this.#offsets?.set(checksumOf(placed.record), placed.offset);
    this.#isInDoubt = this.#isDamaged;
    return isCopy;
  }

  #mayHaveBeen(instant: number): boolean {
    return instant < this.#newest || (instant === this.#newest && this.#isInDoubt);
  }

  /** Nothing is known of what comes before, if that isn't where a segment begins. */
  #enter({ segment, offset }: PlacedRecord): void {
    this.#segment = segment;
    this.#offsets = null;
    this.#isDamaged = false;
    this.#isInDoubt = false;
    this.#newest = offset === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }

  #offsetsBefore({ segment, offset }: PlacedRecord): Map<number, number> {
    const offsets = new Map<number, number>();
    let newest = Number.NEGATIVE_INFINITY;
    this.#bytes.eachBefore(segment, offset, (placed) => {
      newest = Math.max(newest, instantOf(placed.record) || newest);
      offsets.set(checksumOf(placed.record), placed.offset);
    });
    this.#newest = newest;
    return offsets;
  }

  #isSame(before: number, { segment, record: { bytes, from, to } }: PlacedRecord): boolean {
    const whole = bytes.subarray(from - recordHead, to);
    return this.#bytes.read(segment, before, whole.length).equals(whole);
  }
}

const checksumOf = ({ bytes, from }: RecordBytes): number => bytes.readUInt32LE(from - 4);

/** When the first of its hits came; not a number where no clock has given it. */
function instantOf({ bytes, from, to }: RecordBytes): number {
  let instant = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === lineBreak) return instant;
    const digit = byte - zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    instant = instant * 10 + digit;
  }
  return Number.NaN;
}
