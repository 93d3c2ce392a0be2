import { type Selectable, sql } from 'kysely';
import { countDomains } from '../domains.ts';
import { linkCount } from '../links/link-counts.ts';
import { countRows } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type StoredOrganization = Selectable<Schema['organizations']>;

export const findOrganization = (queries: Queries, id: number): Promise<StoredOrganization | undefined> =>
  queries.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();

export const updateOrganization = (
  queries: Queries,
  id: number,
  changes: { readonly name?: string; readonly qr_marker?: number; readonly watch_destinations?: number },
): Promise<StoredOrganization | undefined> =>
  queries.updateTable('organizations').set(changes).where('id', '=', id).returningAll().executeTakeFirst();

/** Renames the organizations that have an account's address for a name. */
export async function forgetName(queries: Queries, email: string): Promise<void> {
  const name = sql<string>`'Organization ' || id`;
  await queries.updateTable('organizations').set({ name }).where('name', '=', email).execute();
}

/** Keeps others from joining, leaving and changing roles in these organizations until this transaction ends. */
export async function lockOrganizations(queries: Queries, ids: readonly number[]): Promise<void> {
  // Lowest id first, so that two transactions on the same ones don't deadlock.
  const locked = queries.selectFrom('organizations').select('id').where('id', 'in', ids).orderBy('id');
  await locked.forNoKeyUpdate().execute();
}

export async function countBelongings(queries: Queries, id: number) {
  return {
    links: await linkCount(queries, id),
    tags: await countRows(queries.selectFrom('tags').where('organization_id', '=', id)),
    domains: (await countDomains(queries, id)).all,
  };
}
