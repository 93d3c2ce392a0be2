import { rmSync, statSync, utimesSync } from 'node:fs';
import { isPassing } from '../rules/passing-fault.ts';
import { segmentFile, segmentsIn } from './files.ts';

/** How long, and how many of them, folded segments stay. */
export interface Keep {
  readonly milliseconds: number;
  readonly bytes: number;
}

interface Folded {
  readonly segment: number;
  readonly size: number;
  readonly at: number;
}

/**
 * The segments of a journal that are folded. They stay for a while: should the database go back to an earlier state, they
 * are folded again. When each was folded is kept in the file's time of modification, so that it outlives this process.
 */
export class FoldedSegments {
  readonly #folder: string;
  readonly #keep: Keep;
  readonly #segments: Folded[] = [];
  /** Those before this one were seen. */
  #seen: number;

  /** `folded`: those before this one were folded earlier. */
  constructor(folder: string, keep: Keep, folded: number) {
    this.#folder = folder;
    this.#keep = keep;
    this.#seen = 0;
    this.#add(folded, false);
  }

  /** The segments before this one are folded: removes those that have stayed for long enough. */
  passed(before: number): void {
    if (before > this.#seen) this.#add(before, this.#keep.milliseconds > 0);
    this.trim();
  }

  /** All of them are; `isNew`: the last ones only now. */
  finish(isNew: boolean): void {
    this.#add(Number.POSITIVE_INFINITY, isNew && this.#keep.milliseconds > 0);
    this.trim();
  }

  trim(): void {
    const now = Date.now();
    let bytes = this.#segments.reduce((sum, { size }) => sum + size, 0);
    for (let first = this.#segments[0]; first !== undefined; first = this.#segments[0]) {
      // Files from the future are those of a clock that was set back.
      const isRecent = Math.abs(now - first.at) < this.#keep.milliseconds;
      if (isRecent && bytes <= this.#keep.bytes) return;
      if (!passes(() => rmSync(segmentFile(this.#folder, first.segment), { force: true }))) return;
      bytes -= first.size;
      this.#segments.shift();
    }
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  #add(before: number, isNew: boolean): void {
    const isDone = passes(() => {
      for (const segment of segmentsIn(this.#folder)) {
        if (segment < this.#seen || segment >= before) continue;
        const path = segmentFile(this.#folder, segment);
        const { size, mtimeMs } = statSync(path);
        const now = Date.now();
        if (isNew) utimesSync(path, now / 1_000, now / 1_000);
        this.#segments.push({ segment, size, at: isNew ? now : mtimeMs });
        this.#seen = segment + 1;
      }
    });
    if (isDone) this.#seen = Math.max(this.#seen, before);
  }
}

/** False where the system refuses now what it may do later. */
function passes(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (cause) {
    if (!isPassing(cause)) throw cause;
    return false;
  }
}
