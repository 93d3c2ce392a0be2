import { sql } from 'kysely';
import type { Dialect } from './dialect.ts';
import { jsonRows } from './json-rows.ts';
import { prepared } from './prepared.ts';
import type { Queries } from './schema.ts';

/** A link whose cached copies are out of date, on every node. */
export interface LinkChange {
  readonly id: number;
  readonly domain_id: number;
  readonly suffix: string;
}

/** Where a link stands. */
export type LinkPlace = Pick<LinkChange, 'domain_id' | 'suffix'>;

/** Written in the transaction that changes the link. */
export async function recordChange(queries: Queries, link: LinkPlace, now: number): Promise<void> {
  await insertChange(queries, now, link.domain_id, link.suffix);
}

const insertChange = prepared((queries, at: number, domain_id: number, suffix: string) =>
  queries.insertInto('changes').values({ at, domain_id, suffix }).compile(),
);

/** The same for many. */
export async function recordChanges(
  queries: Queries,
  dialect: Dialect,
  links: readonly LinkPlace[],
  now: number,
): Promise<void> {
  if (links.length === 0) return;
  const rows = links.map((link) => [now, link.domain_id, link.suffix]);
  await sql`insert into changes (at, domain_id, suffix)
    select at, domain_id, suffix from ${jsonRows(dialect, { at: 'integer', domain_id: 'integer', suffix: 'text' }, rows)} as rows`.execute(
    queries,
  );
}

export const changesAfter = (queries: Queries, id: number, most: number): Promise<LinkChange[]> =>
  queries
    .selectFrom('changes')
    .select(['id', 'domain_id', 'suffix'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(most)
    .execute();

export async function newestChangeId(queries: Queries): Promise<number> {
  const row = await queries
    .selectFrom('changes')
    .select((of) => of.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Some of those that are older than an instant; returns how many. */
export async function deleteOldChanges(queries: Queries, before: number, most: number): Promise<number> {
  const rows = await queries
    .deleteFrom('changes')
    .where('id', 'in', (old) =>
      old.selectFrom('changes').select('id').where('at', '<', before).orderBy('at').limit(most),
    )
    .returning('id')
    .execute();
  return rows.length;
}

export const changesAmong = (queries: Queries, ids: readonly number[]): Promise<LinkChange[]> =>
  queries.selectFrom('changes').select(['id', 'domain_id', 'suffix']).where('id', 'in', ids).execute();
