import { type RawBuilder, sql } from 'kysely';
import { type HitColumn, rollupClassCodes, rollupClasses } from '../../rules/click-fields.ts';
import { dialectOf } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import type { GroupCount } from '../groups.ts';
import { type BucketCount, bucketOf, type Counts, type Hours, type RollupSlice, spanOf } from './counts.ts';

/** For a longer span all values are read. */
const maxHours = 50_000;

/** Counts from the table `organization_rollups`. */
export class OrganizationCounts implements Counts {
  readonly #queries: Queries;
  readonly #matches: RawBuilder<unknown>;
  readonly #value: number | undefined;
  readonly #classes: readonly number[];

  constructor(queries: Queries, organizationId: number, { dimension, value, classes }: RollupSlice) {
    this.#queries = queries;
    this.#value = value;
    this.#classes = classes ?? rollupClasses.map((_, code) => code);
    const conditions = [
      dialectOf(queries).keepGoing('rollups.hour'),
      sql`rollups.organization_id = ${organizationId}`,
      sql`rollups.dimension = ${sql.lit(dimension)}`,
      ...(value === undefined ? [] : [sql`rollups.value = ${value}`]),
      ...(classes === undefined
        ? []
        : [sql`rollups.class in (${sql.join(classes.map((code) => sql.lit(code)))})`]),
    ];
    this.#matches = sql.join(conditions, sql` and `);
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    if (buckets.length === 0) return [];
    const { from, to } = spanOf(buckets);
    if (this.#value !== undefined && to - from <= maxHours) return this.#ofOneValue(buckets, this.#value);
    const { rows } = await sql<BucketCount>`
      select ${bucketOf(this.#queries, 'rollups.hour', buckets)} as bucket, rollups.class, sum(rollups.hits) as hits
      from organization_rollups as rollups
      where ${this.#matches} and rollups.hour >= ${from} and rollups.hour < ${to}
      group by 1, rollups.class`.execute(this.#queries);
    return rows;
  }

  /** An hour has very many values: a single one is looked up by its whole key. */
  async #ofOneValue(buckets: readonly Hours[], value: number): Promise<readonly BucketCount[]> {
    const { from, to } = spanOf(buckets);
    const { rows } = await sql<BucketCount>`
      with recursive hours (hour) as (
        select cast(${from} as bigint) union all select hour + 1 from hours where hour + 1 < ${to}
      ), classes (class) as (values ${sql.join(this.#classes.map((code) => sql`(${sql.lit(code)})`))})
      select ${bucketOf(this.#queries, 'rollups.hour', buckets)} as bucket, rollups.class, rollups.hits
      from hours cross join classes cross join organization_rollups as rollups
      where ${this.#matches} and rollups.hour = hours.hour and rollups.class = classes.class
        and rollups.value = ${value}`.execute(this.#queries);
    return rows;
  }

  async groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    const value = sql.ref(by === 'class' ? 'rollups.class' : 'rollups.value');
    const clicks = sql`sum(case when rollups.class = ${sql.lit(rollupClassCodes.click)} then rollups.hits else 0 end)`;
    const { rows } = await sql<GroupCount>`
      select ${value} as value, ${clicks} as clicks, sum(rollups.hits) as hits,
        sum(${clicks}) over () as all_clicks, sum(sum(rollups.hits)) over () as all_hits
      from organization_rollups as rollups
      where ${this.#matches} and rollups.hour >= ${hours.from} and rollups.hour < ${hours.to}
      group by ${value} order by 3 desc, 1 limit ${sql.lit(limit)}`.execute(this.#queries);
    return rows;
  }
}
