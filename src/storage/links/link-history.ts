import type { Insertable, Selectable } from 'kysely';
import { insertInParts } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type HistoryRow = Selectable<Schema['link_history']>;
export type NewHistoryRow = Insertable<Schema['link_history']>;

interface OfLink {
  readonly organizationId: number;
  readonly linkId: number;
}

export const insertHistory = (queries: Queries, rows: readonly NewHistoryRow[]): Promise<void> =>
  insertInParts(rows, (part) => queries.insertInto('link_history').values(part));

const ofLink = (queries: Queries, { organizationId, linkId }: OfLink) =>
  queries
    .selectFrom('link_history')
    .where('organization_id', '=', organizationId)
    .where('link_id', '=', linkId);

/** A link's entries, newest first. */
export const listHistory = (
  queries: Queries,
  link: OfLink,
  {
    limit,
    before = Number.MAX_SAFE_INTEGER,
  }: { readonly limit: number; readonly before?: number | undefined },
): Promise<HistoryRow[]> =>
  ofLink(queries, link).selectAll().where('id', '<', before).orderBy('id', 'desc').limit(limit).execute();

export const findHistoryEntry = (queries: Queries, link: OfLink, id: number) =>
  ofLink(queries, link).selectAll().where('id', '=', id).executeTakeFirst();

/** Changes after an entry, oldest first, at most `limit`. */
export const historyAfter = (queries: Queries, link: OfLink, id: number, limit: number) =>
  ofLink(queries, link).select(['id', 'changes']).where('id', '>', id).orderBy('id').limit(limit).execute();

/** Names of keys that still exist. */
export const keysNamed = async (queries: Queries, organizationId: number, ids: readonly number[]) =>
  ids.length === 0
    ? []
    : queries
        .selectFrom('api_keys')
        .select(['id', 'name'])
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute();

/** Those of these users who are still members. */
export const membersNamed = async (queries: Queries, organizationId: number, ids: readonly number[]) =>
  ids.length === 0
    ? []
    : queries
        .selectFrom('users')
        .select(['id', 'name', 'email'])
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute();
