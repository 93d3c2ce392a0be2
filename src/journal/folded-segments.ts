import { rmSync, statSync, utimesSync } from 'node:fs';
import { isTransient } from '../rules/transient-error.ts';
import { segmentFile, segmentsIn } from './files.ts';

/** For how long, and up to how many bytes, folded segments are kept. */
export interface Retention {
  readonly milliseconds: number;
  readonly bytes: number;
}

interface Folded {
  readonly segment: number;
  readonly size: number;
  readonly at: number;
}

/**
 * The folded segments of a journal. They are kept for a while: if the database goes back to an earlier state, they are folded
 * again. The time of folding is kept as the file's modification time, so that it survives this process.
 */
export class FoldedSegments {
  readonly #folder: string;
  readonly #keep: Retention;
  readonly #segments: Folded[] = [];
  /** The segments before this one have been registered. */
  #firstUnregistered: number;

  /** `folded`: the segments before this one were folded earlier. */
  constructor(folder: string, keep: Retention, folded: number) {
    this.#folder = folder;
    this.#keep = keep;
    this.#firstUnregistered = 0;
    this.#add(folded, false);
  }

  /** The segments before this one are folded: removes those that have been kept long enough. */
  passed(before: number): void {
    if (before > this.#firstUnregistered) this.#add(before, this.#keep.milliseconds > 0);
    this.trim();
  }

  /** All segments are folded. `isNew`: the last ones were folded just now. */
  finish(isNew: boolean): void {
    this.#add(Number.POSITIVE_INFINITY, isNew && this.#keep.milliseconds > 0);
    this.trim();
  }

  trim(): void {
    const now = Date.now();
    let bytes = this.#segments.reduce((sum, { size }) => sum + size, 0);
    for (let first = this.#segments[0]; first !== undefined; first = this.#segments[0]) {
      // Modification times in the future come from a clock that was set back.
      const isRecent = Math.abs(now - first.at) < this.#keep.milliseconds;
      if (isRecent && bytes <= this.#keep.bytes) return;
      if (!succeeds(() => rmSync(segmentFile(this.#folder, first.segment), { force: true }))) return;
      bytes -= first.size;
      this.#segments.shift();
    }
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  #add(before: number, isNew: boolean): void {
    const isDone = succeeds(() => {
      for (const segment of segmentsIn(this.#folder)) {
        if (segment < this.#firstUnregistered || segment >= before) continue;
        const path = segmentFile(this.#folder, segment);
        const { size, mtimeMs } = statSync(path);
        const now = Date.now();
        if (isNew) utimesSync(path, now / 1_000, now / 1_000);
        this.#segments.push({ segment, size, at: isNew ? now : mtimeMs });
        this.#firstUnregistered = segment + 1;
      }
    });
    if (isDone) this.#firstUnregistered = Math.max(this.#firstUnregistered, before);
  }
}

/** Returns false if the system refuses the work, but may allow it later. */
function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (cause) {
    if (!isTransient(cause)) throw cause;
    return false;
  }
}
