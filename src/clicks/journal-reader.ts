import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { RawHit } from './enrich.ts';
import { isBefore, type Position, segmentFile, segmentsIn } from './journal-files.ts';
import { announcedEnd, readRecord, wholeRecord } from './journal-record.ts';

export interface Stretch {
  readonly hits: readonly RawHit[];
  /** The place behind the last of them. */
  readonly to: Position;
}

const chunkSize = 1024 * 1024;

/** Reads one journal from a place on, in order, in stretches. */
export class JournalReader {
  readonly #folder: string;
  readonly #onTorn: (segment: number, bytes: number) => void;
  #position: Position;
  #file: { readonly segment: number; readonly descriptor: number } | null = null;

  constructor(folder: string, from: Position, onTorn: (segment: number, bytes: number) => void) {
    this.#folder = folder;
    this.#position = from;
    this.#onTorn = onTorn;
  }

  get position(): Position {
    return this.#position;
  }

  /** About `most` hits that come before `end`; fewer only when there are no more. Null `end`: all that is there. */
  read(most: number, end: Position | null): Stretch {
    const hits: RawHit[] = [];
    while (hits.length < most && (end === null || isBefore(this.#position, end))) {
      const size = this.#sizeOf(this.#position.segment, end);
      if (this.#position.offset < size && this.#readChunk(hits, most, size)) continue;
      if (this.#position.offset < size) this.#onTorn(this.#position.segment, size - this.#position.offset);
      if (!this.#nextSegment(end)) break;
    }
    return { hits, to: this.#position };
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file.descriptor);
    this.#file = null;
  }

  /** False when there is no whole record at this place. */
  #readChunk(hits: RawHit[], most: number, size: number): boolean {
    const { segment, offset } = this.#position;
    const bytes = this.#bytes(segment, offset, Math.min(chunkSize, size - offset));
    let at = 0;
    while (hits.length < most) {
      const length = wholeRecord(bytes, at) || this.#longRecord(hits, bytes, at, size);
      if (length === 0) break;
      if (at + length <= bytes.length) readRecord(bytes, at, length, hits);
      at += length;
    }
    this.#position = { segment, offset: offset + at };
    return at > 0;
  }

  /** A record that is longer than a chunk, or cut by the chunk's end while it is the first: read by itself. */
  #longRecord(hits: RawHit[], chunk: Buffer, at: number, size: number): number {
    const { segment, offset } = this.#position;
    const end = announcedEnd(chunk, at);
    if (at > 0 || end === null || end <= chunk.length || offset + end > size) return 0;
    const bytes = this.#bytes(segment, offset, end);
    const length = wholeRecord(bytes, 0);
    if (length > 0) readRecord(bytes, 0, length, hits);
    return length;
  }

  #bytes(segment: number, offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const read = readSync(this.#descriptor(segment), bytes, 0, length, offset);
    return bytes.subarray(0, read);
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
