import { type RawBuilder, sql } from 'kysely';
import { moduleUrl } from '../../bundle/module-urls.ts';
import { dimensionCodes, type HitColumn, rollupClasses } from '../../rules/click-fields.ts';
import type { Compute, Database } from '../../storage/database.ts';
import { type Dialect, dialectOf } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import { type GroupCount, Groups } from '../groups.ts';
import {
  type BucketCount,
  bucketFinder,
  type Counts,
  type Hours,
  maxJoined,
  type RollupSlice,
  spanOf,
  withBuckets,
} from './counts.ts';

const job = moduleUrl('hour-sums');

type CountColumn = (typeof rollupClasses)[number] | 'visitors';
type ColumnRow = { readonly bucket: number } & { readonly [column in CountColumn]: number | null };

/** Counts of some links, from the table `link_hours`. */
export class LinkCounts implements Counts {
  readonly #queries: Queries;
  readonly #compute: Compute;
  readonly #linkIds: readonly number[];
  readonly #slice: RollupSlice;

  constructor({ read, compute }: Database, linkIds: readonly number[], slice: RollupSlice) {
    this.#queries = read;
    this.#compute = compute;
    this.#linkIds = linkIds;
    this.#slice = slice;
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    if (buckets.length === 0 || this.#linkIds.length === 0) return [];
    if (this.#isInColumns) return this.#columnCounts(buckets);
    return this.#sumsOfTexts<BucketCount>(buckets, null);
  }

  async groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    if (this.#linkIds.length === 0) return [];
    const byClass = by === 'class';
    if (!this.#isInColumns) return this.#sumsOfTexts<GroupCount>([hours], { byClass, limit });
    const groups = new Groups(limit);
    for (const { class: ofClass, hits } of await this.#columnCounts([hours]))
      groups.add(byClass ? ofClass : 0, ofClass, hits);
    groups.finish();
    return groups.largest;
  }

  get #isInColumns(): boolean {
    const { dimension } = this.#slice;
    return dimension === dimensionCodes.total || dimension === dimensionCodes.visitors;
  }

  get #ofLinks(): RawBuilder<unknown> {
    const ids = sql.join(this.#linkIds.map((id) => sql.lit(id)));
    return sql`${dialectOf(this.#queries).keepGoing('link_hours.hour')} and link_hours.link_id in (${ids})`;
  }

  #isRequested(ofClass: number, value: number): boolean {
    const { classes, value: requestedValue } = this.#slice;
    return (
      (requestedValue === undefined || requestedValue === value) &&
      (classes === undefined || classes.includes(ofClass))
    );
  }

  async #columnCounts(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    const columns =
      this.#slice.dimension === dimensionCodes.visitors ? (['visitors'] as const) : rollupClasses;
    const rows = await this.#columnRows(buckets, columns);
    return rows.flatMap((row) =>
      columns
        .map((name, index) => ({ bucket: row.bucket, class: index, hits: row[name] ?? 0 }))
        .filter((count) => count.hits > 0 && this.#isRequested(count.class, 0)),
    );
  }

  #columnRows(buckets: readonly Hours[], columns: readonly CountColumn[]): Promise<readonly ColumnRow[]> {
    const { indexIn } = dialectOf(this.#queries);
    if (indexIn !== null) return this.#indexed(buckets, columns, indexIn);
    return buckets.length > maxJoined ? this.#byHour(buckets, columns) : this.#joined(buckets, columns);
  }

  async #indexed(
    buckets: readonly Hours[],
    columns: readonly CountColumn[],
    indexIn: NonNullable<Dialect['indexIn']>,
  ): Promise<readonly ColumnRow[]> {
    const { from, to } = spanOf(buckets);
    const starts = buckets.map((bucket) => bucket.from);
    const { rows } = await sql<ColumnRow>`
      select ${indexIn('link_hours.hour', starts)} as bucket, ${sumsOf(columns)} from link_hours
      where ${this.#ofLinks} and hour >= ${from} and hour < ${to} group by 1`.execute(this.#queries);
    return rows;
  }

  async #joined(buckets: readonly Hours[], columns: readonly CountColumn[]): Promise<readonly ColumnRow[]> {
    const { rows } = await sql<ColumnRow>`${withBuckets(buckets)}
      select buckets.bucket, ${sumsOf(columns)}
      from buckets cross join link_hours
      where ${this.#ofLinks}
        and link_hours.hour >= buckets.first_hour and link_hours.hour < buckets.end_hour
      group by buckets.bucket`.execute(this.#queries);
    return rows;
  }

  /** A bucket may appear more than once. */
  async #byHour(buckets: readonly Hours[], columns: readonly CountColumn[]): Promise<readonly ColumnRow[]> {
    const { from, to } = spanOf(buckets);
    const { rows } = await sql<ColumnRow & { readonly hour: number }>`
      select hour, ${sumsOf(columns)} from link_hours
      where ${this.#ofLinks} and hour >= ${from} and hour < ${to} group by hour`.execute(this.#queries);
    const bucketOf = bucketFinder(buckets);
    return rows.map((row) => ({ ...row, bucket: bucketOf(row.hour) }));
  }

  /** Of a dimension that is stored in texts. */
  #sumsOfTexts<Count extends BucketCount | GroupCount>(
    buckets: readonly Hours[],
    grouped: { readonly byClass: boolean; readonly limit: number } | null,
  ): Promise<readonly Count[]> {
    const { dimension, value, classes } = this.#slice;
    const starts = [...buckets.map(({ from }) => from), spanOf(buckets).to];
    return this.#compute(job, { dimension, value, classes, starts, linkIds: this.#linkIds, grouped });
  }
}

const sumsOf = (columns: readonly CountColumn[]) =>
  sql.join(columns.map((name) => sql`sum(${sql.ref(`link_hours.${name}`)}) as ${sql.ref(name)}`));
