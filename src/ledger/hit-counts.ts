import type { HitColumn } from '../rules/click-fields.ts';
import { hourLength } from '../rules/utc-time.ts';
import { type BucketCount, bucketAt, type Counts, type HitSlice, type Hours, spanOf } from './counts.ts';
import type { GroupCount } from './groups.ts';
import type { HitFilter, Ledger, Owner } from './ledger.ts';

/** Counts made from the hits themselves, which are kept for a limited time. */
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
    const counts = await this.#ledger.count(this.#filter(spanOf(buckets)), 'hour');
    return counts.map((count) => ({ ...count, bucket: bucketAt(buckets, count.value) }));
  }

  groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    return this.#ledger.groups(this.#filter(hours), by, limit);
  }

  #filter({ from, to }: Hours): HitFilter {
    const { values, classes } = this.#slice;
    const since = Math.max(from * hourLength, this.#since);
    return { owner: this.#owner, values, classes, from: since, to: to * hourLength };
  }
}
