import { type RawBuilder, sql } from 'kysely';
import { moduleUrl } from '../../bundle/module-urls.ts';
import { dimensionCodes, type HitColumn, rollupClasses } from '../../rules/click-fields.ts';
import type { Compute, Database } from '../../storage/database.ts';
import { dialectOf } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import { type GroupCount, Groups } from '../groups.ts';
import { type BucketCount, bucketOf, type Counts, type Hours, type RollupSlice, spanOf } from './counts.ts';

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

  async #columnCounts(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    const { classes, dimension, value = 0 } = this.#slice;
    // These dimensions have no other value.
    if (value !== 0) return [];
    const columns = dimension === dimensionCodes.visitors ? (['visitors'] as const) : rollupClasses;
    const { from, to } = spanOf(buckets);
    const { rows } = await sql<ColumnRow>`
      select ${bucketOf(this.#queries, 'link_hours.hour', buckets)} as bucket, ${sumsOf(columns)} from link_hours
      where ${this.#ofLinks} and hour >= ${from} and hour < ${to} group by 1`.execute(this.#queries);
    return rows.flatMap((row) =>
      columns
        .map((name, index) => ({ bucket: row.bucket, class: index, hits: row[name] ?? 0 }))
        .filter((count) => count.hits > 0 && (classes?.includes(count.class) ?? true)),
    );
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
