import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isBefore, type Position, segmentFile, segmentsIn } from './files.ts';
import { announcedEnd, isSummed, type RecordBytes, recordBytes, recordHead, wholeRecord } from './record.ts';
import { findRecord } from './resync.ts';

const chunkSize = 1024 * 1024;

/** Bytes in a journal that its process did not write, or that it wrote and that are missing. */
export interface Flaw {
  /**
   * `torn`: the end of a record that was being written when its process or machine stopped. `damaged`: bytes that are no
   * records. `truncated`: the segment ends before the position that was read up to.
   */
  readonly kind: 'torn' | 'damaged' | 'truncated';
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface ReaderParts {
  readonly onFlaw: (flaw: Flaw) => void;
}

/**
 * Reads one journal from a position on, record by record, in order. Damaged bytes are skipped up to the next whole record.
 * When the system fails a read it throws and keeps its position: the same call may be made again.
 */
export class JournalReader {
  readonly #folder: string;
  readonly #parts: ReaderParts;
  #position: Position;
  #file: { readonly segment: number; readonly descriptor: number } | null = null;
  /** What has been read of the file, from `#chunkFrom` on: one buffer that is reused. */
  #memory: Buffer | null = null;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkFrom = 0;
  /** A position behind which this segment has no more records. */
  #hopeless: Position | null = null;
  /** The segment that was last reported as truncated. */
  #truncated: number | null = null;

  constructor(folder: string, from: Position, parts: ReaderParts) {
    this.#folder = folder;
    this.#position = from;
    this.#parts = parts;
  }

  /** The position behind the last record that was read. */
  get position(): Position {
    return this.#position;
  }

  /**
   * The next record that comes before `end`, good until the next call; null when there is none. Null `end`: all that is
   * there.
   */
  next(end: Position | null): RecordBytes | null {
    while (end === null || isBefore(this.#position, end)) {
      const record = this.#recordHere();
      if (record !== null) return record;
      const size = this.#sizeOf(end);
      if (this.#position.offset < size && (this.#load(size) || this.#skip(size, end))) continue;
      if (!this.#nextSegment(end)) break;
    }
    return null;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file.descriptor);
    this.#file = null;
    this.#forgetChunk();
  }

  /** Null when the chunk in memory has no whole record at this position. */
  #recordHere(): RecordBytes | null {
    const { segment, offset } = this.#position;
    const at = offset - this.#chunkFrom;
    const length = at < this.#chunk.length ? wholeRecord(this.#chunk, at) : 0;
    if (length === 0) return null;
    this.#position = { segment, offset: offset + length };
    return recordBytes(this.#chunk, at, length);
  }

  /** Reads from this place on, as much as a chunk or the record that begins here. False: here is no whole record. */
  #load(size: number): boolean {
    const { segment, offset } = this.#position;
    this.#forgetChunk();
    this.#memory ??= Buffer.allocUnsafeSlow(chunkSize);
    let chunk = this.#read(this.#memory, segment, offset, Math.min(chunkSize, size - offset));
    const end = announcedEnd(chunk, 0);
    if (end !== null && end > chunk.length && offset + end <= size) {
      chunk = this.#read(Buffer.allocUnsafeSlow(end), segment, offset, end);
    }
    if (wholeRecord(chunk, 0) === 0) return false;
    this.#chunk = chunk;
    this.#chunkFrom = offset;
    return true;
  }

  /** Goes to the next whole record of this segment. False: there is none. */
  #skip(size: number, end: Position | null): boolean {
    const { segment, offset } = this.#position;
    if (this.#hopeless?.segment === segment && this.#hopeless.offset === offset && end === null) return false;
    const read = (from: number, length: number) =>
      this.#read(Buffer.allocUnsafeSlow(length), segment, from, length);
    const next = findRecord(read, offset + 1, size);
    const bytes = (next ?? size) - offset;
    const isLast = next === null && end?.segment !== segment;
    const isTorn = isLast && isBegun(read(offset, Math.min(bytes, chunkSize)), bytes);
    this.#parts.onFlaw({ kind: isTorn ? 'torn' : 'damaged', segment, offset, bytes });
    if (next === null) this.#hopeless = { segment, offset };
    else this.#position = { segment, offset: next };
    return next !== null;
  }

  #forgetChunk(): void {
    this.#chunk = Buffer.alloc(0);
    this.#chunkFrom = 0;
  }

  #read(into: Buffer, segment: number, offset: number, length: number): Buffer {
    const descriptor = this.#descriptor(segment);
    return descriptor === null
      ? into.subarray(0, 0)
      : into.subarray(0, readSync(descriptor, into, 0, length, offset));
  }

  /** Null when there is no such segment, and only then: what can't be opened now is no reason to go on without it. */
  #descriptor(segment: number): number | null {
    if (this.#file?.segment === segment) return this.#file.descriptor;
    this.close();
    try {
      this.#file = { segment, descriptor: openSync(segmentFile(this.#folder, segment), 'r') };
      return this.#file.descriptor;
    } catch (cause) {
      if ((cause as { code?: string }).code === 'ENOENT') return null;
      throw cause;
    }
  }

  /** How far this segment may be read. */
  #sizeOf(end: Position | null): number {
    const { segment, offset } = this.#position;
    const descriptor = this.#descriptor(segment);
    const size = descriptor === null ? 0 : fstatSync(descriptor).size;
    const isLast = end?.segment === segment;
    // One that is gone is missing only where its process has told of it; else it was folded and removed.
    const due = isLast ? end.offset : descriptor === null ? 0 : offset;
    if (size < due && this.#truncated !== segment) {
      this.#truncated = segment;
      this.#parts.onFlaw({ kind: 'truncated', segment, offset: size, bytes: due - size });
    }
    return isLast ? Math.min(size, end.offset) : size;
  }

  #nextSegment(end: Position | null): boolean {
    const { segment } = this.#position;
    const next =
      end?.segment === segment ? undefined : segmentsIn(this.#folder).find((each) => each > segment);
    if (next !== undefined && (end === null || next <= end.segment)) {
      this.close();
      this.#position = { segment: next, offset: 0 };
      return true;
    }
    if (end !== null) this.#position = end;
    return false;
  }
}

/** Whether this is the beginning of a record that goes on behind its end, or room that was never written to. */
function isBegun(rest: Buffer, bytes: number): boolean {
  if (bytes < recordHead) return true;
  const end = announcedEnd(rest, 0);
  if (end === null) return rest.every((byte) => byte === 0);
  return end > bytes && !isSummed(rest.subarray(0, bytes));
}
