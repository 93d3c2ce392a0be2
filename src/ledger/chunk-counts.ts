import { hourLength } from '../rules/utc-time.ts';
import { bucketIndex } from './bucket-index.ts';
import { liesWithin } from './chunk-reader.ts';
import type { ChunkRow, ChunkScan } from './chunk-scan.ts';
import type { ChunkColumn } from './hit-chunk.ts';
import type { HitCount, Times } from './ledger.ts';

const maxClasses = 16;

/** What hits are counted by. With `starts`, the first hours of buckets, any hour of a bucket may stand for its others. */
export interface CountedBy {
  readonly by: 'hour' | 'class';
  readonly starts: readonly number[];
}

/** Adds up hits of chunks by their hours or classes. */
export class ChunkCounts {
  readonly #counted: CountedBy;
  readonly #times: Times;
  readonly #sums = new Map<number, number>();

  constructor(counted: CountedBy, times: Times) {
    this.#counted = counted;
    this.#times = times;
  }

  /** What has to be read of a chunk. */
  columnFor(chunk: ChunkRow): ChunkColumn {
    return this.#counted.by === 'class' || this.#hourOfAll(chunk) !== null ? 'rollup_class' : 'hour';
  }

  /** Adds the hits that have been selected. */
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

  /** An hour that may stand for those of all hits of a chunk, where they lie in one bucket. */
  #hourOfAll(chunk: ChunkRow): number | null {
    const { starts } = this.#counted;
    if (starts.length === 0 || !liesWithin(chunk, this.#times)) return null;
    const [first = 0, last = 0] = [chunk.first_at, chunk.last_at].map((at) => Math.floor(at / hourLength));
    return bucketIndex(starts, first) === bucketIndex(starts, last) ? first : null;
  }
}
