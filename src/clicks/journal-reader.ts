import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { isBefore, type Position, segmentFile, segmentsIn } from './journal-files.ts';
import { announcedEnd, type RecordBytes, recordBytes, wholeRecord } from './journal-record.ts';

const chunkSize = 1024 * 1024;

/** Reads one journal from a place on, record by record, in order. */
export class JournalReader {
  readonly #folder: string;
  readonly #onTorn: (segment: number, bytes: number) => void;
  #position: Position;
  #file: { readonly segment: number; readonly descriptor: number } | null = null;
  /** What has been read of the file, from `#chunkFrom` on: one piece of memory that is used again and again. */
  #memory: Buffer | null = null;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkFrom = 0;

  constructor(folder: string, from: Position, onTorn: (segment: number, bytes: number) => void) {
    this.#folder = folder;
    this.#position = from;
    this.#onTorn = onTorn;
  }

  /** Behind what was read. */
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
      const size = this.#sizeOf(this.#position.segment, end);
      const { offset } = this.#position;
      if (offset < size && this.#load(size)) continue;
      if (offset < size) this.#onTorn(this.#position.segment, size - offset);
      if (!this.#nextSegment(end)) break;
    }
    return null;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file.descriptor);
    this.#file = null;
    this.#forgetChunk();
  }

  /** Null when what is in memory has no whole record at this place. */
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
    this.#memory ??= Buffer.allocUnsafeSlow(chunkSize);
    this.#chunk = this.#read(this.#memory, segment, offset, Math.min(chunkSize, size - offset));
    this.#chunkFrom = offset;
    const end = announcedEnd(this.#chunk, 0);
    if (end !== null && end > this.#chunk.length && offset + end <= size) {
      this.#chunk = this.#read(Buffer.allocUnsafeSlow(end), segment, offset, end);
    }
    const isWhole = wholeRecord(this.#chunk, 0) > 0;
    if (!isWhole) this.#forgetChunk();
    return isWhole;
  }

  #forgetChunk(): void {
    this.#chunk = Buffer.alloc(0);
    this.#chunkFrom = 0;
  }

  #read(into: Buffer, segment: number, offset: number, length: number): Buffer {
    return into.subarray(0, readSync(this.#descriptor(segment), into, 0, length, offset));
  }

  #descriptor(segment: number): number {
    if (this.#file?.segment === segment) return this.#file.descriptor;
    this.close();
    this.#file = { segment, descriptor: openSync(segmentFile(this.#folder, segment), 'r') };
    return this.#file.descriptor;
  }

  #sizeOf(segment: number, end: Position | null): number {
    if (!existsSync(segmentFile(this.#folder, segment))) return 0;
    return end?.segment === segment ? end.offset : fstatSync(this.#descriptor(segment)).size;
  }

  #nextSegment(end: Position | null): boolean {
    this.close();
    const next = segmentsIn(this.#folder).find((segment) => segment > this.#position.segment);
    if (next !== undefined && (end === null || next <= end.segment)) {
      this.#position = { segment: next, offset: 0 };
      return true;
    }
    if (end !== null) this.#position = end;
    return false;
  }
}
