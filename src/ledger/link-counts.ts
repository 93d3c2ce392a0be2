import { sql } from 'kysely';
import { dimensionCodes, type HitColumn, rollupClassCodes, rollupClasses } from '../rules/click-fields.ts';
import type { Queries } from '../storage/schema.ts';
import {
  type BucketCount,
  bucketAt,
  type Counts,
  type Hours,
  type RollupSlice,
  spanOf,
  withBuckets,
} from './counts.ts';
import { type GroupCount, Groups } from './groups.ts';
import { classOf, eachCountOf, reasonOf } from './hour-counts.ts';

/** Texts of so many hours are read at once, so that parsing them doesn't block the event loop for long. */
const hoursAtOnce = 1_000;

type ColumnRow = { readonly bucket: number; readonly visitors: number } & {
  readonly [column in (typeof rollupClasses)[number]]: number;
};

/** Counts from the table `link_hours`. */
export class LinkCounts implements Counts {
  readonly #queries: Queries;
  readonly #linkId: number;
  readonly #slice: RollupSlice;

  constructor(queries: Queries, linkId: number, slice: RollupSlice) {
    this.#queries = queries;
    this.#linkId = linkId;
    this.#slice = slice;
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    if (buckets.length === 0) return [];
    if (this.#isInColumns) return this.#columnCounts(buckets);
    const sums = new Map<number, number>();
    await this.#each(spanOf(buckets), (hour, ofClass, _value, hits) => {
      const key = bucketAt(buckets, hour) * rollupClasses.length + ofClass;
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
    else await this.#each(hours, (_hour, ofClass, value, hits) => add(ofClass, value, hits));
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

  /** Every count of a dimension that is kept in texts, hour after hour. */
  async #each(
    hours: Hours,
    take: (hour: number, ofClass: number, value: number, hits: number) => void,
  ): Promise<void> {
    const { dimension } = this.#slice;
    const isReason = dimension === dimensionCodes.reason;
    for (let { from } = hours; ; ) {
      const { rows } = await sql<{ hour: number; click: number; counts: string }>`
        select hour, click, counts from link_hours
        where link_id = ${this.#linkId} and hour >= ${from} and hour < ${hours.to}
        order by hour limit ${sql.lit(hoursAtOnce)}`.execute(this.#queries);
      for (const { hour, click, counts } of rows) {
        let unwritten = isReason ? 0 : click;
        const pass = (ofClass: number, value: number, hits: number) => {
          if (hits > 0 && this.#isWanted(ofClass, value)) take(hour, ofClass, value, hits);
        };
        eachCountOf(dimension, counts, (value, hits) => {
          if (isReason) return pass(classOf(value), reasonOf(value), hits);
          unwritten -= hits;
          pass(rollupClassCodes.click, value, hits);
        });
        pass(rollupClassCodes.click, 0, unwritten);
      }
      if (rows.length < hoursAtOnce) return;
      from = (rows.at(-1)?.hour ?? from) + 1;
    }
  }
}
