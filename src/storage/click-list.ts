import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queries, Schema } from './schema.ts';
import type { Owner } from './stats.ts';
import { rollupClass } from './stats-raw.ts';

export type StoredHit = Selectable<Schema['hits']>;

export interface HitFilter {
  readonly owner: Owner;
  /** Classes of the roll-ups; all of them when not given. */
  readonly classes?: readonly number[] | undefined;
  /** Instants; `to` is the first that is no longer in it. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Newest first, by key: what has been read already is never looked at again. */
export async function hitsBefore(
  queries: Queries,
  filter: HitFilter,
  page: { readonly before: number | undefined; readonly limit: number; readonly offset: number },
): Promise<readonly StoredHit[]> {
  const before = page.before === undefined ? [] : [sql`id < ${page.before}`];
  const { rows } = await sql<StoredHit>`
    select * from hits where ${matches(filter, before)}
    order by id desc limit ${page.limit} offset ${page.offset}`.execute(queries);
  return rows;
}

/** Oldest first, of those whose place in the ledger is settled. */
export async function hitsAfter(
  queries: Queries,
  filter: HitFilter,
  page: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly StoredHit[]> {
  const { rows } = await sql<StoredHit>`
    select * from hits where ${matches(filter, [sql`id > ${page.after}`, sql`id <= ${page.upTo}`])}
    order by id limit ${page.limit}`.execute(queries);
  return rows;
}

export async function countHits(queries: Queries, filter: HitFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from hits where ${matches(filter, [])}`.execute(queries);
  return rows[0]?.count ?? 0;
}

/** The newest id that can be seen; 0 in an empty ledger. */
export async function newestHitId(queries: Queries): Promise<number> {
  const row = await queries.selectFrom('hits').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

export const hitOwnersAfter = (queries: Queries, id: number, most: number) =>
  queries
    .selectFrom('hits')
    .select(['id', 'organization_id'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(most)
    .execute();

function matches(
  { owner, classes, from, to }: HitFilter,
  further: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const conditions = [
    sql`${sql.ref(`${owner.kind}_id`)} = ${owner.id}`,
    ...(classes === undefined
      ? []
      : [sql`${rollupClass} in (${sql.join(classes.map((place) => sql.lit(place)))})`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
    ...further,
  ];
  return sql.join(conditions, sql` and `);
}
