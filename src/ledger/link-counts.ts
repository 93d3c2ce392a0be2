import { sql } from 'kysely';
import { threadUrl } from '../bundle/located.ts';
import { dimensionCodes, type HitColumn, rollupClasses } from '../rules/click-fields.ts';
import type { Compute, Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import {
  type BucketCount,
  type Counts,
  type Hours,
  type RollupSlice,
  spanOf,
  withBuckets,
} from './counts.ts';
import { type GroupCount, Groups } from './groups.ts';
import { type CountedHour, type HourQuestion, HourSums, hoursAtOnce } from './hour-sums.ts';

const job = threadUrl('hour-sums');

type ColumnRow = { readonly bucket: number; readonly visitors: number } & {
  readonly [column in (typeof rollupClasses)[number]]: number;
};

/** Counts from the table `link_hours`. */
export class LinkCounts implements Counts {
  readonly #queries: Queries;
  readonly #compute: Compute | null;
  readonly #linkId: number;
  readonly #slice: RollupSlice;

  constructor({ read, compute }: Database, linkId: number, slice: RollupSlice) {
    this.#queries = read;
    this.#compute = compute;
    this.#linkId = linkId;
    this.#slice = slice;
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    if (buckets.length === 0) return [];
    if (this.#isInColumns) return this.#columnCounts(buckets);
    const sums = new Map<number, number>();
    await this.#each(buckets, (bucket, ofClass, _value, hits) => {
      const key = bucket * rollupClasses.length + ofClass;
      sums.set(key, (sums.get(key) ?? 0) + hits);
    });
    return Array.from(sums, ([key, hits]) => ({
      bucket: Math.floor(key / rollupClasses.length),
      class: key % rollupClasses.length,
      hits,
    }));
  }

  async groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    const groups = new Groups(limit);
    const add = (ofClass: number, value: number, hits: number) =>
      groups.add(by === 'class' ? ofClass : value, ofClass, hits);
    if (this.#isInColumns)
      for (const { class: ofClass, hits } of await this.#columnCounts([hours])) add(ofClass, 0, hits);
    else await this.#each([hours], (_bucket, ofClass, value, hits) => add(ofClass, value, hits));
    groups.finish();
    return groups.largest;
  }

  get #isInColumns(): boolean {
    const { dimension } = this.#slice;
    return dimension === dimensionCodes.total || dimension === dimensionCodes.visitors;
  }

  #isWanted(ofClass: number, value: number): boolean {
    const { classes, value: wanted } = this.#slice;
    return (wanted === undefined || wanted === value) && (classes === undefined || classes.includes(ofClass));
  }

  async #columnCounts(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    const columns =
      this.#slice.dimension === dimensionCodes.visitors ? (['visitors'] as const) : rollupClasses;
    const sums = columns.map((name) => sql`sum(${sql.ref(`link_hours.${name}`)}) as ${sql.ref(name)}`);
    const { rows } = await sql<ColumnRow>`${withBuckets(buckets)}
      select buckets.bucket, ${sql.join(sums)}
      from buckets cross join link_hours
      where link_hours.link_id = ${this.#linkId}
        and link_hours.hour >= buckets.first_hour and link_hours.hour < buckets.end_hour
      group by buckets.bucket`.execute(this.#queries);
    return rows.flatMap((row) =>
      columns
        .map((name, index) => ({ bucket: row.bucket, class: index, hits: row[name] }))
        .filter((count) => count.hits > 0 && this.#isWanted(count.class, 0)),
    );
  }

  /** Every sum of a dimension that is kept in texts. */
  async #each(
    buckets: readonly Hours[],
    take: (bucket: number, ofClass: number, value: number, hits: number) => void,
  ): Promise<void> {
    const { dimension, value, classes } = this.#slice;
    const { from, to } = spanOf(buckets);
    const question = { dimension, value, classes, starts: [...buckets.map((bucket) => bucket.from), to] };
    const rows =
      this.#compute === null
        ? await this.#sums(question, from, to)
        : await this.#compute<Float64Array>(job, { ...question, linkId: this.#linkId });
    for (let at = 0; at < rows.length; at += 4) {
      const [bucket = 0, ofClass = 0, ofValue = 0, hits = 0] = rows.subarray(at, at + 4);
      take(bucket, ofClass, ofValue, hits);
    }
  }

  async #sums(question: HourQuestion, first: number, end: number): Promise<Float64Array> {
    const sums = new HourSums(question);
    for (let from = first; ; ) {
      const { rows } = await sql<CountedHour>`
        select hour, click, counts from link_hours
        where link_id = ${this.#linkId} and hour >= ${from} and hour < ${end}
        order by hour limit ${sql.lit(hoursAtOnce)}`.execute(this.#queries);
      for (const hour of rows) sums.add(hour);
      if (rows.length < hoursAtOnce) return sums.rows;
      from = (rows.at(-1)?.hour ?? from) + 1;
    }
  }
}
