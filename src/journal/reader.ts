import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isBefore, type Position, segmentFile, segmentsIn } from './files.ts';
import {
  announcedEnd,
  hasValidChecksum,
  type RecordBytes,
  recordBytes,
  recordHeadLength,
  wholeRecord,
} from './record.ts';
import { findRecord } from './resync.ts';

const chunkSize = 1024 * 1024;

/** Bytes in a journal that its process did not write, or bytes that it wrote and that are missing. */
export interface Flaw {
  /**
   * `torn`: the beginning of a record whose process or machine stopped while writing it. `damaged`: bytes that aren't
   * records. `truncated`: the segment ends before the position that was read up to.
   */
  readonly kind: 'torn' | 'damaged' | 'truncated';
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Reads one journal from a position on, record by record, in order. Skips damaged bytes up to the next whole record. When a read
 * fails it throws and keeps its position, so that the call can be repeated.
 */
export class JournalReader {
  readonly #folder: string;
  readonly #onFlaw: (flaw: Flaw) => void;
  #position: Position;
  #file: { readonly segment: number; readonly descriptor: number } | null = null;
  /** The buffer for chunks, which is reused. `#chunk` has the file's bytes from `#chunkFrom` on. */
  #memory: Buffer | null = null;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkFrom = 0;
  /** After this position its segment has no more records. */
  #exhausted: Position | null = null;
  /** The segment that was last reported as truncated. */
  #truncated: number | null = null;

  constructor(folder: string, from: Position, onFlaw: (flaw: Flaw) => void) {
    this.#folder = folder;
    this.#position = from;
    this.#onFlaw = onFlaw;
  }

  /** The position after the last record that was read. */
  get position(): Position {
    return this.#position;
  }

  /**
   * The next record before `end`, valid until the next call; null if there is none. With a null `end`, reads everything there is.
   */
  next(end: Position | null): RecordBytes | null {
    while (end === null || isBefore(this.#position, end)) {
      const record = this.#nextInChunk();
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

  /** The record at this position. Null if the chunk in memory doesn't contain all of it. */
  #nextInChunk(): RecordBytes | null {
    const { segment, offset } = this.#position;
    const at = offset - this.#chunkFrom;
    const length = at < this.#chunk.length ? wholeRecord(this.#chunk, at) : 0;
    if (length === 0) return null;
    this.#position = { segment, offset: offset + length };
    return recordBytes(this.#chunk, at, length);
  }

  /** Reads a chunk from this position on, or all of a longer record. False: no whole record begins here. */
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

  /** Goes to the next whole record of this segment. Returns false if there is none. */
  #skip(size: number, end: Position | null): boolean {
    const { segment, offset } = this.#position;
    if (this.#exhausted?.segment === segment && this.#exhausted.offset === offset && end === null)
      return false;
    const read = (from: number, length: number) =>
      this.#read(Buffer.allocUnsafeSlow(length), segment, from, length);
    const next = findRecord(read, offset + 1, size);
    const bytes = (next ?? size) - offset;
    const isLast = next === null && end?.segment !== segment;
    const isTorn = isLast && isIncompleteRecord(read(offset, Math.min(bytes, chunkSize)), bytes);
    this.#onFlaw({ kind: isTorn ? 'torn' : 'damaged', segment, offset, bytes });
    if (next === null) this.#exhausted = { segment, offset };
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

  /** Null only if the segment doesn't exist: one that can't be opened now must not be skipped. */
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

  /** The offset up to which this segment may be read. */
  #sizeOf(end: Position | null): number {
    const { segment, offset } = this.#position;
    const descriptor = this.#descriptor(segment);
    const size = descriptor === null ? 0 : fstatSync(descriptor).size;
    const isLast = end?.segment === segment;
    // A missing segment is a flaw only if its process has reported writing it; otherwise it was folded and removed.
    const expectedSize = isLast ? end.offset : descriptor === null ? 0 : offset;
    if (size < expectedSize && this.#truncated !== segment) {
      this.#truncated = segment;
      this.#onFlaw({ kind: 'truncated', segment, offset: size, bytes: expectedSize - size });
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

/** Whether these bytes are an incomplete record, or zeros that were never overwritten. */
function isIncompleteRecord(rest: Buffer, bytes: number): boolean {
  if (bytes < recordHeadLength) return true;
  const end = announcedEnd(rest, 0);
  if (end === null) return rest.every((byte) => byte === 0);
  return end > bytes && !hasValidChecksum(rest.subarray(0, bytes));
}
