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
  /** Calls the task once all hits of this tick have been appended. */
  readonly afterTick: (task: () => void) => void;
  /** Called after hits were written: there is something to fold. */
  readonly onWritten: () => void;
  /** `unsynced`: they are written, but the disk has not confirmed them. */
  readonly onWarning: (what: 'held' | 'dropped' | 'unsynced', hits: number, cause: unknown) => void;
}

interface Waiting {
  /** As it is written to the file. */
  readonly record: Buffer;
  readonly hits: number;
}

const segmentSize = 32 * 1024 * 1024;
/** Bytes of records that are held in memory while the disk accepts none. */
const maxHeld = 16 * 1024 * 1024;
const retryInterval = 250;
const syncInterval = 1_000;
/** Up to this many hits in `rateWindow` milliseconds are written one by one. */
const maxSingleWrites = 64;
const rateWindow = 8;
/** This many windows after a busy one count as busy too: a short pause changes nothing. */
const busyWindows = 16;

/**
 * Stores hits before their visits are answered: under load, with one write for all hits of a tick. Written hits survive this
 * process; once a second they are also synced to the disk, in case the machine stops.
 *
 * The current file is open at all times, before the first hit too, and is only closed once the next one is open: hits need no
 * file descriptor.
 */
export class Journal {
  readonly #parts: JournalParts;
  readonly #writer = new RecordWriter();
  #hits = 0;
  /** Whether hits of this tick are written at its end, and the promise that resolves then. */
  #awaitsTickEnd = false;
  #tickEnd: PromiseWithResolvers<void> | null = null;
  #window = 0;
  #hitsInWindow = 0;
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
      // The first hit tries again.
      parts.onWarning('held', 0, cause);
    }
  }

  /**
   * Returns true if the hit is in the file. Otherwise it is written at the end of this tick, before any task that is deferred
   * to that time after this call (or it is held in memory while the disk accepts nothing). While there are few hits, each is
   * written at once: answers needn't wait, and pipelined requests are answered; if an answer comes later, Bun closes their
   * connection.
   */
  keep(hit: RawHit): boolean {
    this.#writer.add(hit);
    this.#hits += 1;
    const isRateLow = this.#countHit(hit.at);
    if (this.#awaitsTickEnd) return false;
    if (isRateLow) {
      this.#writeOrHold();
      return true;
    }
    this.#awaitsTickEnd = true;
    this.#parts.afterTick(this.#endTick);
    return false;
  }

  /** The same as a promise, which is never rejected. Null if the hit is in the file. */
  append(hit: RawHit): Promise<void> | null {
    if (this.keep(hit)) return null;
    this.#tickEnd ??= Promise.withResolvers();
    return this.#tickEnd.promise;
  }

  /** Everything before this position has been written. */
  get end(): Position {
    return { segment: this.#segment, offset: this.#size };
  }

  /** How many hits are in memory only, because writing fails. */
  get held(): number {
    return this.#held.reduce((sum, { hits }) => sum + hits, 0);
  }

  /** Ends the segment, so that it can be removed once it is folded. */
  rotate(): void {
    this.#endTick();
    if (this.#size > 0) this.#nextSegment();
  }

  /** Drops later hits. Resolves once everything is synced and the file is closed. */
  stop(): Promise<void> {
    this.#endTick();
    if (this.#held.length > 0) this.#writeHeld();
    this.#isStopped = true;
    const { held } = this;
    this.#held = [];
    this.#heldLength = 0;
    if (held > 0) this.#parts.onWarning('dropped', held, new Error('stopped while the disk accepts no data'));
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
    if (!this.#awaitsTickEnd) return;
    this.#awaitsTickEnd = false;
    this.#writeOrHold();
    this.#tickEnd?.resolve();
    this.#tickEnd = null;
  };

  /** Counts a hit. Returns whether there are few enough to write it at once. */
  #countHit(at: number): boolean {
    const window = Math.floor(at / rateWindow);
    if (window !== this.#window) {
      if (this.#hitsInWindow > maxSingleWrites) this.#busyUntil = this.#window + busyWindows;
      this.#window = window;
      this.#hitsInWindow = 0;
    }
    this.#hitsInWindow += 1;
    return window > this.#busyUntil && this.#hitsInWindow <= maxSingleWrites;
  }

  #writeOrHold(): void {
    const waiting = { record: this.#writer.finish(), hits: this.#hits };
    this.#hits = 0;
    if (this.#isStopped || this.#held.length > 0 || !this.#tryWrite(waiting)) {
      this.#hold({ ...waiting, record: Buffer.from(waiting.record) });
    }
  }

  /** Returns false if writing fails. */
  #tryWrite({ record, hits }: Waiting): boolean {
    try {
      this.#write(record);
    } catch (cause) {
      this.#parts.onWarning('held', hits, cause);
      return false;
    }
    if (this.#size >= segmentSize) this.#nextSegment();
    else this.#syncSoon();
    this.#parts.onWritten();
    return true;
  }

  #hold(waiting: Waiting): void {
    const isFull = this.#heldLength + waiting.record.length > maxHeld;
    if (this.#isStopped || isFull) {
      const reason = this.#isStopped ? 'stopped' : 'the memory for waiting hits is full';
      this.#parts.onWarning('dropped', waiting.hits, new Error(reason));
      return;
    }
    this.#held.push(waiting);
    this.#heldLength += waiting.record.length;
    this.#retrying ??= setTimeout(() => {
      this.#retrying = undefined;
      this.#writeHeld();
    }, retryInterval);
  }

  #writeHeld(): void {
    const waiting = this.#held;
    this.#held = [];
    this.#heldLength = 0;
    for (const [index, each] of waiting.entries()) {
      if (this.#tryWrite(each)) continue;
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

  /** A partly written record is truncated, so that the next one follows a whole record. */
  #put(file: number, record: Buffer): void {
    const { disk } = this.#parts;
    const { length } = record;
    let written = 0;
    try {
      while (written < length) {
        const taken = disk.write(file, record, written, length - written, this.#size + written);
        if (taken === 0) throw new Error('the disk accepts no data');
        written += taken;
      }
    } catch (cause) {
      try {
        disk.truncate(file, this.#size);
      } catch {
        // The next record overwrites it, or else a reader skips it.
        this.#nextSegment();
      }
      throw cause;
    }
  }

  #open(segment: number): number {
    return this.#parts.disk.open(segmentFile(this.#parts.folder(), segment));
  }

  /** If the next segment can't be opened now, this one stays in use. */
  #nextSegment(): void {
    const previous = this.#file;
    try {
      this.#file = this.#open(this.#segment + 1);
    } catch {
      this.#syncSoon();
      return;
    }
    this.#segment += 1;
    this.#size = 0;
    this.#isDirty = false;
    if (previous !== null) this.#close(previous);
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
        if (fault) this.#parts.onWarning('unsynced', 0, fault);
        done();
      });
    } catch (cause) {
      this.#parts.onWarning('unsynced', 0, cause);
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
