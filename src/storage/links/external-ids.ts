import { sql } from 'kysely';
import type { Queries } from '../schema.ts';
import { findLink, type StoredLink } from './links.ts';

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
 * Gives restored links, whose rows in the bin are still there, their external ids again, and returns these by link. An id that
 * another link has by now is left out; one that several of them had goes to the one that was deleted last. Throws NotUnique if
 * another transaction gives one of the ids to a link meanwhile.
 */
export async function restoreExternalIds(
  queries: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const idList = sql.join(ids);
  const { rows } = await sql<{ id: number; external_id: string }>`
    update links set external_id = (select external_id from link_bin where link_bin.id = links.id)
    where id in (${idList}) and exists (
      select 1 from link_bin as binned where binned.id = links.id and binned.external_id is not null
        and not exists (select 1 from links as holder where holder.organization_id = binned.organization_id
          and holder.external_id = binned.external_id)
        and not exists (select 1 from link_bin as later where later.id in (${idList})
          and later.organization_id = binned.organization_id and later.external_id = binned.external_id
          and (later.deleted_at, later.id) > (binned.deleted_at, binned.id))
    ) returning id, external_id`.execute(queries);
  return new Map(rows.map(({ id, external_id }) => [id, external_id]));
}
