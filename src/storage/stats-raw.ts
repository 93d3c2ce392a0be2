import { type RawBuilder, sql } from 'kysely';
import type { Queries } from './schema.ts';
import type { GroupCount, Owner } from './stats.ts';

export type HitColumn =
  | 'country'
  | 'device'
  | 'os'
  | 'browser'
  | 'language'
  | 'referrer'
  | 'utm_source'
  | 'utm_medium'
  | 'utm_campaign'
  | 'target'
  | 'source'
  | 'reason';

export interface RawSlice {
  readonly owner: Owner;
  readonly filters: readonly (readonly [HitColumn, number])[];
  /** Classes of the roll-ups. */
  readonly classes: readonly number[];
  /** Instants; `to` is the first that is no longer in it. */
  readonly from: number;
  readonly to: number;
}

/**
 * The class that roll-ups know a hit by (`clicks/codes.ts`): a person who was redirected is a click, one who wasn't met
 * a page, and the others follow in the ledger's order.
 */
export const rollupClass = sql<number>`case when class > 0 then class + 1 when outcome = 0 then 0 else 1 end`;

export async function rawHourCounts(
  queries: Queries,
  slice: RawSlice,
): Promise<readonly { hour: number; class: number; hits: number }[]> {
  const { rows } = await sql<{ hour: number; class: number; hits: number }>`
    select at / 3600000 as hour, ${rollupClass} as class, count(*) as hits
    from hits where ${matches(slice)} group by 1, 2`.execute(queries);
  return rows;
}

export async function rawGroupCounts(
  queries: Queries,
  slice: RawSlice,
  by: HitColumn | 'class',
  most: number,
): Promise<readonly GroupCount[]> {
  const value = by === 'class' ? rollupClass : sql.ref(by);
  const clicks = sql`sum(case when ${rollupClass} = 0 then 1 else 0 end)`;
  const { rows } = await sql<GroupCount>`
    select ${value} as value, ${clicks} as clicks, count(*) as hits,
      sum(${clicks}) over () as all_clicks, sum(count(*)) over () as all_hits
    from hits where ${matches(slice)} group by 1 order by 3 desc, 1 limit ${sql.lit(most)}`.execute(queries);
  return rows;
}

function matches({ owner, filters, classes, from, to }: RawSlice): RawBuilder<unknown> {
  const conditions = [
    sql`${sql.ref(`${owner.kind}_id`)} = ${owner.id}`,
    sql`at >= ${from} and at < ${to}`,
    sql`${rollupClass} in (${sql.join(classes.map((place) => sql.lit(place)))})`,
    ...filters.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
  ];
  return sql.join(conditions, sql` and `);
}
