import { type RawBuilder, sql } from 'kysely';
import { clickClass } from '../ledger/hour-counts.ts';
import type { Owner } from '../ledger/owner.ts';
import { dialectOf } from '../storage/dialect.ts';
import type { Queries } from '../storage/schema.ts';
import { linkBucketCounts, linkGroupCounts, linkTotal } from './link-queries.ts';

/** One dimension of the roll-ups, all of it or one value, in all classes or in some. */
export interface Slice {
  readonly dimension: number;
  readonly value: number | undefined;
  readonly classes: readonly number[] | undefined;
}

/** Hours since the epoch; `to` is the first that is no longer in it. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

export interface BucketCount {
  readonly bucket: number;
  readonly class: number;
  readonly hits: number;
}

export interface GroupCount {
  readonly value: number;
  readonly clicks: number;
  readonly hits: number;
  /** Of all groups, those left out too. */
  readonly all_clicks: number;
  readonly all_hits: number;
}

/**
 * Counts by bucket and class. Buckets follow one another without a gap. They drive: each is one stretch of the primary
 * key.
 */
export async function bucketCounts(
  queries: Queries,
  owner: Owner,
  slice: Slice,
  buckets: readonly Hours[],
): Promise<readonly BucketCount[]> {
  if (owner.kind === 'link') return linkBucketCounts(queries, owner.id, slice, buckets);
  const rows = buckets.map(
    ({ from, to }, place) => sql`(${sql.lit(place)}, ${sql.lit(from)}, ${sql.lit(to)})`,
  );
  if (rows.length === 0) return [];
  const { rows: counts } = await sql<BucketCount>`
    with buckets (bucket, first_hour, end_hour) as (values ${sql.join(rows)})
    select buckets.bucket, rollups.class, sum(rollups.hits) as hits
    from buckets cross join organization_rollups as rollups
    where ${matches(queries, owner.id, slice)}
      and rollups.hour >= buckets.first_hour and rollups.hour < buckets.end_hour
    group by buckets.bucket, rollups.class`.execute(queries);
  return counts;
}

/** The largest groups of a range, by value or by class. */
export async function groupCounts(
  queries: Queries,
  owner: Owner,
  slice: Slice,
  by: 'value' | 'class',
  hours: Hours,
  most: number,
): Promise<readonly GroupCount[]> {
  if (owner.kind === 'link') return linkGroupCounts(queries, owner.id, slice, by, hours, most);
  const { rows } = await sql<GroupCount>`
    select ${sql.ref(`rollups.${by}`)} as value,
      sum(case when rollups.class = ${sql.lit(clickClass)} then rollups.hits else 0 end) as clicks,
      sum(rollups.hits) as hits,
      sum(sum(case when rollups.class = ${sql.lit(clickClass)} then rollups.hits else 0 end)) over () as all_clicks,
      sum(sum(rollups.hits)) over () as all_hits
    from organization_rollups as rollups
    where ${matches(queries, owner.id, slice)} and rollups.hour >= ${hours.from} and rollups.hour < ${hours.to}
    group by ${sql.ref(`rollups.${by}`)}
    order by 3 desc, 1 limit ${sql.lit(most)}`.execute(queries);
  return rows;
}

/** All hits of the classes; in a range of hours where one is given. */
export async function totalCount(
  queries: Queries,
  owner: Owner,
  slice: Slice,
  hours: Partial<Hours>,
): Promise<number> {
  if (owner.kind === 'link') return linkTotal(queries, owner.id, slice, hours);
  const from = hours.from === undefined ? sql`` : sql` and rollups.hour >= ${hours.from}`;
  const to = hours.to === undefined ? sql`` : sql` and rollups.hour < ${hours.to}`;
  const { rows } = await sql<{ hits: number | null }>`
    select sum(rollups.hits) as hits from organization_rollups as rollups
    where ${matches(queries, owner.id, slice)}${from}${to}`.execute(queries);
  return rows[0]?.hits ?? 0;
}

function matches(
  queries: Queries,
  organizationId: number,
  { dimension, value, classes }: Slice,
): RawBuilder<unknown> {
  const conditions = [
    dialectOf(queries).keepGoing('rollups.hour'),
    sql`rollups.organization_id = ${organizationId}`,
    sql`rollups.dimension = ${sql.lit(dimension)}`,
    ...(value === undefined ? [] : [sql`rollups.value = ${value}`]),
    ...(classes === undefined
      ? []
      : [sql`rollups.class in (${sql.join(classes.map((place) => sql.lit(place)))})`]),
  ];
  return sql.join(conditions, sql` and `);
}
