import { type RawBuilder, sql } from 'kysely';
import { type HitColumn, rollupClassCodes } from '../rules/click-fields.ts';
import { dialectOf } from '../storage/dialect.ts';
import type { Queries } from '../storage/schema.ts';
import { type BucketCount, type Counts, type Hours, type RollupSlice, withBuckets } from './counts.ts';
import type { GroupCount } from './groups.ts';

/** Counts from the table `organization_rollups`. */
export class OrganizationCounts implements Counts {
  readonly #queries: Queries;
  readonly #matches: RawBuilder<unknown>;

  constructor(queries: Queries, organizationId: number, { dimension, value, classes }: RollupSlice) {
    this.#queries = queries;
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
    const { rows } = await sql<BucketCount>`${withBuckets(buckets)}
      select buckets.bucket, rollups.class, sum(rollups.hits) as hits
      from buckets cross join organization_rollups as rollups
      where ${this.#matches} and rollups.hour >= buckets.first_hour and rollups.hour < buckets.end_hour
      group by buckets.bucket, rollups.class`.execute(this.#queries);
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
