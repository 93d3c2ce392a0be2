import type { Insertable, Selectable } from 'kysely';
import { insertInParts } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export type HistoryRow = Selectable<Schema['link_history']>;
export type NewHistoryRow = Insertable<Schema['link_history']>;

interface OfLink {
  readonly organizationId: number;
  readonly linkId: number;
}

export const insertHistory = (queries: Queries, rows: readonly NewHistoryRow[]): Promise<void> =>
  insertInParts(rows, (part) => queries.insertInto('link_history').values(part));

/** A link's entries, newest first. */
export function listHistory(
  queries: Queries,
  { organizationId, linkId }: OfLink,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<HistoryRow[]> {
  const entries = queries
    .selectFrom('link_history')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('link_id', '=', linkId);
  return (before === undefined ? entries : entries.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export const findHistoryEntry = (
  queries: Queries,
  { organizationId, linkId }: OfLink,
  id: number,
): Promise<HistoryRow | undefined> =>
  queries
    .selectFrom('link_history')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('link_id', '=', linkId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Changes after an entry, oldest first, at most `limit`. */
export const historyAfter = (
  queries: Queries,
  { organizationId, linkId }: OfLink,
  id: number,
  limit: number,
): Promise<Pick<HistoryRow, 'id' | 'changes'>[]> =>
  queries
    .selectFrom('link_history')
    .select(['id', 'changes'])
    .where('organization_id', '=', organizationId)
    .where('link_id', '=', linkId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();

export async function deleteHistoryOf(queries: Queries, linkIds: readonly number[]): Promise<void> {
  await queries.deleteFrom('link_history').where('link_id', 'in', linkIds).execute();
}

/** Names of keys that still exist. */
export const keysNamed = async (
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
): Promise<{ id: number; name: string }[]> =>
  ids.length === 0
    ? []
    : queries
        .selectFrom('api_keys')
        .select(['id', 'name'])
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute();

/** Those of these users who are still members. */
export const membersNamed = async (
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
): Promise<{ id: number; name: string | null; email: string }[]> =>
  ids.length === 0
    ? []
    : queries
        .selectFrom('users')
        .select(['id', 'name', 'email'])
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute();
