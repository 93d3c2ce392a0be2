import type { HitColumn } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import type { GroupCount } from '../groups.ts';
import type { HitCount, HitFilter, Ledger, Owner } from '../ledger.ts';
import { bucketIndex } from './bucket-index.ts';
import { type BucketCount, type Counts, type HitSlice, type Hours, spanOf } from './counts.ts';

/** Counts made from the individual hits, which are kept for a limited time. */
export class HitCounts implements Counts {
  readonly #ledger: Ledger;
  readonly #owner: Owner;
  readonly #slice: HitSlice;
  readonly #since: number;

  constructor(ledger: Ledger, owner: Owner, slice: HitSlice, since: number) {
    this.#since = since;
    this.#ledger = ledger;
    this.#owner = owner;
    this.#slice = slice;
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    const starts = buckets.map(({ from }) => from);
    const counts = await this.#ledger.count(this.#filter(spanOf(buckets)), 'hour', starts);
    return inBuckets(counts, starts);
  }

  /** `byBucket` and `groups` of a slice with values in one query, because both read the same hits. */
  async bucketsAndGroups(
    buckets: readonly Hours[],
    by: HitColumn,
    limit: number,
  ): Promise<{ readonly counts: readonly BucketCount[]; readonly groups: readonly GroupCount[] }> {
    const starts = buckets.map(({ from }) => from);
    const filter = this.#filter(spanOf(buckets));
    const { counts, groups } = await this.#ledger.countAndGroups(filter, starts, by, limit);
    return { counts: inBuckets(counts, starts), groups };
  }

  groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    return this.#ledger.groups(this.#filter(hours), by, limit);
  }

  #filter({ from, to }: Hours): HitFilter {
    const { values, classes } = this.#slice;
    // Whole hours: projections in ClickHouse contain the hours of hits, but not their instants.
    const since = Math.max(from, Math.ceil(this.#since / hourLength));
    return { owner: this.#owner, values, classes, from: since * hourLength, to: to * hourLength };
  }
}

function inBuckets(counts: readonly HitCount[], starts: readonly number[]): BucketCount[] {
  return counts.map((count) => ({ ...count, bucket: bucketIndex(starts, count.value) }));
}
