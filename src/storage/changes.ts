import type { Queries } from './schema.ts';

/** A link whose cached copies are out of date, on every node. */
export interface LinkChange {
  readonly id: number;
  readonly domain_id: number;
  readonly suffix: string;
}

/** Written in the transaction that changes the link. */
export async function recordChange(
  queries: Queries,
  link: { readonly domain_id: number; readonly suffix: string },
  now: number,
): Promise<void> {
  await queries
    .insertInto('changes')
    .values({ at: now, domain_id: link.domain_id, suffix: link.suffix })
    .execute();
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

export async function deleteOldChanges(queries: Queries, before: number): Promise<void> {
  await queries.deleteFrom('changes').where('at', '<', before).execute();
}

export const changesAmong = (queries: Queries, ids: readonly number[]): Promise<LinkChange[]> =>
  queries.selectFrom('changes').select(['id', 'domain_id', 'suffix']).where('id', 'in', ids).execute();
