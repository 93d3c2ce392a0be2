import type { Selectable } from 'kysely';
import type { Queries, Schema } from './schema.ts';

export type StoredOrganization = Selectable<Schema['organizations']>;

export const findOrganization = (queries: Queries, id: number): Promise<StoredOrganization | undefined> =>
  queries.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();

export const updateOrganization = (
  queries: Queries,
  id: number,
  changes: { readonly name?: string; readonly qr_marker?: number },
): Promise<StoredOrganization | undefined> =>
  queries.updateTable('organizations').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
