import { type RawBuilder, sql } from 'kysely';
import type { HitColumn } from '../../rules/click-fields.ts';
import type { GroupCount } from '../groups.ts';
import { bucketIndex } from './bucket-index.ts';

/** Whole UTC hours since the epoch, the resolution of the roll-ups; `to` is exclusive. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** One dimension of the roll-ups, all of it or one value, in all or some classes. */
export interface RollupSlice {
  readonly kind: 'rollups';
  readonly dimension: number;
  readonly value: number | undefined;
  readonly classes: readonly number[] | undefined;
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

/** Finds the last bucket that starts at or before an hour. */
export function bucketFinder(buckets: readonly Hours[]): (hour: number) => number {
  const starts = buckets.map(({ from }) => from);
  return (hour) => bucketIndex(starts, hour);
}

/** With more buckets, such as the hours of a month, hours are read and assigned to buckets by this process. */
export const maxJoined = 100;

/**
 * A table of buckets. On SQLite a query that starts from it reads one range of the primary key per bucket; PostgreSQL compares
 * each hour with each bucket, and uses `indexIn` instead.
 */
export const withBuckets = (buckets: readonly Hours[]): RawBuilder<unknown> => sql`
  with buckets (bucket, first_hour, end_hour) as (values ${sql.join(
    buckets.map(({ from, to }, bucket) => sql`(${sql.lit(bucket)}, ${sql.lit(from)}, ${sql.lit(to)})`),
  )})`;
