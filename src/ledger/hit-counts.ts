import type { HitColumn } from '../rules/click-fields.ts';
import { hourLength } from '../rules/utc-time.ts';
import {
  type BucketCount,
  bucketAt,
  type Counts,
  type GroupCount,
  Groups,
  type HitSlice,
  type Hours,
  spanOf,
} from './counts.ts';
import type { Ledger } from './ledger.ts';
import type { Owner } from './owner.ts';

/** Counts made from the hits themselves, which are kept for a limited time. */
export class HitCounts implements Counts {
  readonly #ledger: Ledger;
  readonly #owner: Owner;
  readonly #slice: HitSlice;

  constructor(ledger: Ledger, owner: Owner, slice: HitSlice) {
    this.#ledger = ledger;
    this.#owner = owner;
    this.#slice = slice;
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    const counts = await this.#count('hour', spanOf(buckets));
    return counts.map((count) => ({ ...count, bucket: bucketAt(buckets, count.value) }));
  }

  async groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    const groups = new Groups();
    for (const { value, class: ofClass, hits } of await this.#count(by, hours))
      groups.add(value, ofClass, hits);
    return groups.largest(limit);
  }

  #count(by: 'hour' | HitColumn, { from, to }: Hours) {
    const { values, classes } = this.#slice;
    const times = { from: from * hourLength, to: to * hourLength };
    return this.#ledger.count({ owner: this.#owner, values, classes, ...times }, by);
  }
}
