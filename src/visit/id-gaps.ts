import { dayLength } from '../rules/durations.ts';

/** Ids from `first` to `last`. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

interface Gap extends IdRange {
  /** When the gap was found. */
  readonly since: number;
}

/** Longer than any transaction takes: a younger gap is most likely a transaction that has not committed yet. */
const freshFor = 30_000;
/** How often older gaps are queried. */
const oldInterval = 2_000;
/** A session that was given a block of ids may use the rest of it much later. Changes are kept for as long. */
const gapRetention = dayLength;
/** Few gaps are permanent (a transaction was rolled back). Beyond this number the oldest ones are given up. */
const maxGaps = 1_000;

/** Ids that were handed out but haven't appeared yet: they belong to open transactions, or to blocks reserved by sessions. */
export class IdGaps {
  #gaps: Gap[] = [];
  #oldQueriedAt = Number.NEGATIVE_INFINITY;

  add(first: number, last: number, now: number): void {
    if (first > last) return;
    this.#gaps.push({ first, last, since: now });
    if (this.#gaps.length > maxGaps) this.#gaps.shift();
  }

  clear(): void {
    this.#gaps = [];
  }

  /** The ranges to query now. */
  due(now: number): readonly IdRange[] {
    this.#gaps = this.#gaps.filter(({ since }) => now - since <= gapRetention);
    const includesOld = Math.abs(now - this.#oldQueriedAt) >= oldInterval;
    if (includesOld) this.#oldQueriedAt = now;
    return this.#gaps.filter(({ since }) => includesOld || now - since <= freshFor);
  }

  /** This id has appeared. */
  fill(id: number): void {
    const index = this.#gaps.findIndex(({ first, last }) => first <= id && id <= last);
    const gap = this.#gaps[index];
    if (gap === undefined) return;
    const rest = [
      { ...gap, last: id - 1 },
      { ...gap, first: id + 1 },
    ];
    this.#gaps.splice(index, 1, ...rest.filter(({ first, last }) => first <= last));
  }
}
