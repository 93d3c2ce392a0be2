import { hourLength } from '../../rules/durations.ts';
import { bucketIndex } from '../counts/bucket-index.ts';
import type { HitCount, Times } from '../ledger.ts';
import { type ChunkRow, type ChunkScan, liesWithin } from './chunk-scan.ts';
import type { ChunkColumn } from './hit-chunk.ts';

const maxClasses = 16;

/** What hits are counted by. With `starts`, the first hours of buckets, hits may be counted under any hour of their bucket. */
export interface CountedBy {
  readonly by: 'hour' | 'class';
  readonly starts: readonly number[];
}

/** Counts the hits of chunks by hour or class. */
export class ChunkCounts {
  readonly #counted: CountedBy;
  readonly #times: Times;
  readonly #sums = new Map<number, number>();

  constructor(counted: CountedBy, times: Times) {
    this.#counted = counted;
    this.#times = times;
  }

  /** The column to read of a chunk. */
  columnFor(chunk: ChunkRow): ChunkColumn {
    return this.#counted.by === 'class' || this.#hourOfAll(chunk) !== null ? 'rollup_class' : 'hour';
  }

  /** Adds the selected hits. */
  add(chunk: ChunkScan): void {
    const classes = chunk.coded('rollup_class');
    const values = chunk.coded(this.columnFor(chunk.row));
    const hour = this.#counted.by === 'hour' ? this.#hourOfAll(chunk.row) : null;
    const counts = chunk.tally(values, classes);
    for (let index = 0; index < counts.length; index++) {
      const hits = counts[index] ?? 0;
      if (hits === 0) continue;
      const value = hour ?? values.values[Math.floor(index / classes.values.length)] ?? 0;
      const key = value * maxClasses + (classes.values[index % classes.values.length] ?? 0);
      this.#sums.set(key, (this.#sums.get(key) ?? 0) + hits);
    }
  }

  get counts(): HitCount[] {
    return Array.from(this.#sums, ([key, hits]) => ({
      value: Math.floor(key / maxClasses),
      class: key % maxClasses,
      hits,
    }));
  }

  /** An hour to count all hits of a chunk under, if they are all in one bucket. */
  #hourOfAll(chunk: ChunkRow): number | null {
    const { starts } = this.#counted;
    if (starts.length === 0 || !liesWithin(chunk, this.#times)) return null;
    const [first = 0, last = 0] = [chunk.first_at, chunk.last_at].map((at) => Math.floor(at / hourLength));
    return bucketIndex(starts, first) === bucketIndex(starts, last) ? first : null;
  }
}
