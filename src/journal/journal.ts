import type { JournalDisk } from './disk.ts';
import { type Position, segmentFile } from './files.ts';
import type { RawHit } from './hit.ts';
import { RecordWriter } from './record-writer.ts';

interface JournalParts {
  /** The folder of the segments, which is created when it doesn't exist. */
  readonly folder: () => string;
  /** Called before anything is written for the first time. */
  readonly use: () => void;
  readonly disk: JournalDisk;
  /** Calls this once all hits of this turn have been appended. */
  readonly afterTurn: (task: () => void) => void;
  /** Called after hits were written: there is something to fold. */
  readonly onWritten: () => void;
  /** `unsynced`: they are written, and the disk has not confirmed them. */
  readonly onTrouble: (what: 'held' | 'dropped' | 'unsynced', hits: number, cause: unknown) => void;
}

interface Waiting {
  /** As it is written to the file. */
  readonly record: Buffer;
  readonly hits: number;
}

const segmentSize = 32 * 1024 * 1024;
/** Bytes of records that wait in memory for a disk with room. */
const maxHeld = 16 * 1024 * 1024;
const retryInterval = 250;
const syncInterval = 1_000;
/** Up to so many hits in so many milliseconds, each may have a write of its own. */
const maxAlone = 64;
const quietWindow = 8;
/** For so many windows after a busy one more hits are expected: a pause among them is not quiet. */
const busyWindows = 16;

/**
 * Stores hits before they are answered: under load, one write for all hits of a tick. Written hits outlive this process;
 * once a second they are also synced to the disk, in case the machine itself stops.
 *
 * The file that is written to is open at all times, before the first hit too, and is only closed once the next one is open:
 * hits need no file descriptor.
 */
export class Journal {
  readonly #parts: JournalParts;
  readonly #writer = new RecordWriter();
  #hits = 0;
  /** Whether hits of this turn wait for its end, and the promise of that. */
  #isTick = false;
  #ended: PromiseWithResolvers<void> | null = null;
  #window = 0;
  #inWindow = 0;
  #busyUntil = 0;
  #file: number | null = null;
  #segment = 1;
  #size = 0;
  #held: Waiting[] = [];
  #heldLength = 0;
  #retrying: Timer | undefined;
  #syncing: Timer | undefined;
  #isDirty = false;
  #isStopped = false;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    try {
      this.#file = this.#open(this.#segment);
    } catch (cause) {
      // Tried again by the first hit.
      parts.onTrouble('held', 0, cause);
    }
  }

  /**
   * True when the hit is on file. Else it is at this turn's end, before anything that is put off until then from now on
   * (or is in memory, for as long as the disk takes nothing). While there are few hits each is written by itself, at
   * once: then answers needn't wait, and requests that a client sends one behind another are answered; Bun hangs up on
   * those whose answer comes later.
   */
  keep(hit: RawHit): boolean {
    this.#writer.add(hit);
    this.#hits += 1;
    const isQuiet = this.#isQuiet(hit.at);
    if (this.#isTick) return false;
    if (isQuiet) {
      this.#writeOrHold();
      return true;
    }
    this.#isTick = true;
    this.#parts.afterTurn(this.#endTick);
    return false;
  }

  /** The same as a promise, which is never rejected. Null when the hit is on file. */
  append(hit: RawHit): Promise<void> | null {
    if (this.keep(hit)) return null;
    this.#ended ??= Promise.withResolvers();
    return this.#ended.promise;
  }

  /** Everything before this position is on file. */
  get end(): Position {
    return { segment: this.#segment, offset: this.#size };
  }

  /** How many hits are in memory only, because writing fails. */
  get held(): number {
    return this.#held.reduce((sum, { hits }) => sum + hits, 0);
  }

  /** Ends the segment, so that it can be removed as soon as it is folded. */
  rotate(): void {
    this.#endTick();
    if (this.#size > 0) this.#nextSegment();
  }

  /** Hits that come after this are dropped. Fulfilled once the disk has all that was written, and the file is closed. */
  stop(): Promise<void> {
    this.#endTick();
    if (this.#held.length > 0) this.#writeHeld();
    this.#isStopped = true;
    const { held } = this;
    this.#held = [];
    this.#heldLength = 0;
    if (held > 0) this.#drop(held, new Error('stopped while the disk takes nothing'));
    clearTimeout(this.#retrying);
    clearTimeout(this.#syncing);
    const file = this.#file;
    this.#file = null;
    return new Promise((closed) => {
      if (file === null) closed();
      else this.#close(file, closed);
    });
  }

  readonly #endTick = (): void => {
    if (!this.#isTick) return;
    this.#isTick = false;
    this.#writeOrHold();
    this.#ended?.resolve();
    this.#ended = null;
  };

  /** Called once for every hit, as it counts them. */
  #isQuiet(at: number): boolean {
    const window = Math.floor(at / quietWindow);
    if (window !== this.#window) {
      if (this.#inWindow > maxAlone) this.#busyUntil = this.#window + busyWindows;
      this.#window = window;
      this.#inWindow = 0;
    }
    this.#inWindow += 1;
    return window > this.#busyUntil && this.#inWindow <= maxAlone;
  }

  #writeOrHold(): void {
    const waiting = { record: this.#writer.finish(), hits: this.#hits };
    this.#hits = 0;
    if (this.#isStopped || this.#held.length > 0 || !this.#isWritten(waiting)) {
      this.#hold({ ...waiting, record: Buffer.from(waiting.record) });
    }
  }

  /** False when writing fails. */
  #isWritten({ record, hits }: Waiting): boolean {
    try {
      this.#write(record);
    } catch (cause) {
      this.#parts.onTrouble('held', hits, cause);
      return false;
    }
    this.#afterWrite();
    this.#parts.onWritten();
    return true;
  }

  #hold(waiting: Waiting): void {
    if (this.#isStopped) {
      this.#drop(waiting.hits, new Error('stopped'));
      return;
    }
    if (this.#heldLength + waiting.record.length > maxHeld) {
      this.#drop(waiting.hits, new Error('the memory for waiting hits is full'));
      return;
    }
    this.#held.push(waiting);
    this.#heldLength += waiting.record.length;
    this.#retrying ??= setTimeout(() => {
      this.#retrying = undefined;
      this.#writeHeld();
    }, retryInterval);
  }

  #drop(hits: number, cause: unknown): void {
    this.#parts.onTrouble('dropped', hits, cause);
  }

  #writeHeld(): void {
    const waiting = this.#held;
    this.#held = [];
    this.#heldLength = 0;
    for (const [index, each] of waiting.entries()) {
      if (this.#isWritten(each)) continue;
      for (const later of waiting.slice(index)) this.#hold(later);
      return;
    }
  }

  #write(record: Buffer): void {
    if (this.#size === 0) this.#parts.use();
    this.#file ??= this.#open(this.#segment);
    this.#put(this.#file, record);
    this.#size += record.length;
  }

  /** A record that was written in part is truncated again, so that the next one follows a whole one. */
  #put(file: number, record: Buffer): void {
    const { disk } = this.#parts;
    const { length } = record;
    let written = 0;
    try {
      while (written < length) {
        const taken = disk.write(file, record, written, length - written, this.#size + written);
        if (taken === 0) throw new Error('the disk takes nothing');
        written += taken;
      }
    } catch (cause) {
      try {
        disk.truncate(file, this.#size);
      } catch {
        // The next record is written over it, or else a reader skips it.
        this.#nextSegment();
      }
      throw cause;
    }
  }

  #afterWrite(): void {
    if (this.#size >= segmentSize) this.#nextSegment();
    else this.#syncSoon();
  }

  #open(segment: number): number {
    return this.#parts.disk.open(segmentFile(this.#parts.folder(), segment));
  }

  /** Where the next one can't be opened now, this one is used further. */
  #nextSegment(): void {
    const before = this.#file;
    try {
      this.#file = this.#open(this.#segment + 1);
    } catch {
      this.#syncSoon();
      return;
    }
    this.#segment += 1;
    this.#size = 0;
    this.#isDirty = false;
    if (before !== null) this.#close(before);
  }

  #close(file: number, closed = () => {}): void {
    const { disk } = this.#parts;
    this.#sync(file, () => {
      disk.close(file);
      closed();
    });
  }

  #sync(file: number, done: () => void): void {
    try {
      this.#parts.disk.sync(file, (fault) => {
        if (fault) this.#parts.onTrouble('unsynced', 0, fault);
        done();
      });
    } catch (cause) {
      this.#parts.onTrouble('unsynced', 0, cause);
      done();
    }
  }

  #syncSoon(): void {
    this.#isDirty = true;
    this.#syncing ??= setTimeout(() => {
      this.#syncing = undefined;
      if (!this.#isDirty || this.#file === null) return;
      this.#isDirty = false;
      this.#sync(this.#file, () => {});
    }, syncInterval);
  }
}
