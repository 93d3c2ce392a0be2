import type { RawBuilder } from 'kysely';
import type { HitColumn } from '../../rules/click-fields.ts';
import { dialectOf } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import type { GroupCount } from '../groups.ts';

/** Whole UTC hours since the epoch, the resolution of the roll-ups; `to` is exclusive. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** One dimension of the roll-ups, all of it or one value, in all or some classes. */
export interface RollupSlice {
  readonly kind: 'rollups';
  readonly dimension: number;
  readonly value?: number | undefined;
  readonly classes?: readonly number[] | undefined;
}

/** The hits with these values in these columns. */
export interface HitSlice {
  readonly kind: 'hits';
  readonly values: readonly (readonly [HitColumn, number])[];
  readonly classes: readonly number[];
}

export type Slice = RollupSlice | HitSlice;

export interface BucketCount {
  readonly bucket: number;
  /** A class of the roll-ups. */
  readonly class: number;
  readonly hits: number;
}

/** The counts of an owner's slice, wherever they are stored. */
export interface Counts {
  /** The buckets are contiguous. */
  byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]>;
  /**
   * The largest groups, by the roll-ups' class, or else by the value of the slice's dimension or of a column: most hits first,
   * then the lowest value.
   */
  groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]>;
}

const lastHour = 2 ** 31 - 1;

export async function totalOf(
  counts: Counts,
  { from = 0, to = lastHour }: { readonly from?: number | undefined; readonly to?: number | undefined },
): Promise<number> {
  return (await counts.byBucket([{ from, to }])).reduce((sum, { hits }) => sum + hits, 0);
}

export const spanOf = (buckets: readonly Hours[]): Hours => ({
  from: buckets[0]?.from ?? 0,
  to: buckets.at(-1)?.to ?? 0,
});

/** The index of the bucket that an hour is in, as an expression. */
export const bucketOf = (queries: Queries, hour: string, buckets: readonly Hours[]): RawBuilder<number> =>
  dialectOf(queries).indexIn(
    hour,
    buckets.map(({ from }) => from),
  );
