import { sql } from 'kysely';
import { findLink, type StoredLink } from './links.ts';
import type { Queries } from './schema.ts';

type ExternalIdHolder = Pick<StoredLink, 'id' | 'external_id' | 'created_at'>;

/** An organization's links with one of these external ids. */
export const holdersOfExternalIds = (
  queries: Queries,
  organizationId: number,
  externalIds: readonly string[],
): Promise<ExternalIdHolder[]> =>
  queries
    .selectFrom('links')
    .select(['id', 'external_id', 'created_at'])
    .where('organization_id', '=', organizationId)
    .where('external_id', 'in', externalIds)
    .execute();

export async function findByExternalId(
  queries: Queries,
  organizationId: number,
  externalId: string,
): Promise<StoredLink | undefined> {
  const [holder] = await holdersOfExternalIds(queries, organizationId, [externalId]);
  return holder && findLink(queries, organizationId, holder.id);
}

/**
 * Clears the external ids with which these links in the bin couldn't be restored: those that a link has by now, and those that
 * several in the bin share, except for the one that was deleted last.
 */
export async function clearTakenExternalIds(queries: Queries, ids: readonly number[]): Promise<void> {
  const idList = sql.join(ids);
  await sql`update link_bin set external_id = null
    where id in (${idList}) and external_id is not null and (
      exists (select 1 from links where links.organization_id = link_bin.organization_id
        and links.external_id = link_bin.external_id)
      or exists (select 1 from link_bin as later where later.id in (${idList})
        and later.organization_id = link_bin.organization_id and later.external_id = link_bin.external_id
        and (later.deleted_at, later.id) > (link_bin.deleted_at, link_bin.id))
    )`.execute(queries);
}
