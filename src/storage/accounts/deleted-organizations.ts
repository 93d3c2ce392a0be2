import { sql } from 'kysely';
import { updateDomain } from '../domains.ts';
import { recordHostChange } from '../marked-changes.ts';
import { prepared } from '../prepared.ts';
import { deleteFound, idsOf } from '../rows.ts';
import type { Queries } from '../schema.ts';

/** From now on it has no members and no user can join it, and visitors find no links on its domains. */
export async function markDeleted(queries: Queries, organizationId: number, now: number): Promise<void> {
  await queries.deleteFrom('invitations').where('organization_id', '=', organizationId).execute();
  await queries
    .updateTable('organizations')
    .set({ deleted_at: now, name: '' })
    .where('id', '=', organizationId)
    .execute();
  const domains = await queries
    .selectFrom('domains')
    .select(['id', 'host'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id, host } of domains) {
    // The check that is due removes them, together with their links.
    const changes = { deleted_at: now, verified_at: null, next_check_at: now };
    await updateDomain(queries, organizationId, id, changes);
    await recordHostChange(queries, host, now);
  }
}

export const deletedOrganizations = prepared((queries) =>
  queries
    .selectFrom('organizations')
    .select(['id', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .compile(),
);

export async function linkIdsOf(queries: Queries, organizationId: number, limit: number): Promise<number[]> {
  const links = queries.selectFrom('links').select('id').where('organization_id', '=', organizationId);
  return idsOf(await links.orderBy('id').limit(limit).execute());
}

/** All its deleted links, including those that only reserve their suffix. */
export async function binnedIdsOf(
  queries: Queries,
  organizationId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const deleted = queries.selectFrom('link_bin').select('id').where('organization_id', '=', organizationId);
  return idsOf(await deleted.where('id', '>', after).orderBy('id').limit(limit).execute());
}

const rollupKey = ['organization_id', 'dimension', 'hour', 'class', 'value'] as const;

/** Tables with few rows of an organization. */
const smallTables = [
  'utm_templates',
  'tags',
  'link_counts',
  'link_blocks',
  'link_block_marks',
  'click_corrections',
  'webhook_outages',
  'watched_links',
  'idempotency_keys',
] as const;

/** Deletes some of what an organization has besides its links and hits; false if there was nothing. */
export async function deleteSomeOf(
  queries: Queries,
  organizationId: number,
  limit: number,
): Promise<boolean> {
  const deliveries = queries.selectFrom('webhook_deliveries').where('organization_id', '=', organizationId);
  const oldest = deliveries.orderBy('id').limit(limit);
  if ((await deleteFound(queries, 'webhook_deliveries', ['id'], oldest)) > 0) return true;
  const rollups = queries.selectFrom('organization_rollups').where('organization_id', '=', organizationId);
  if ((await deleteFound(queries, 'organization_rollups', rollupKey, rollups.limit(limit))) > 0) return true;
  for (const table of smallTables) {
    const own = queries.deleteFrom(table).where('organization_id', '=', organizationId);
    if ((await own.executeTakeFirst()).numDeletedRows > 0) return true;
  }
  return false;
}

/** The last step of the deletion; false while something refers to the organization. */
export async function deleteOrganization(queries: Queries, id: number): Promise<boolean> {
  for (const table of ['links', 'link_bin', 'domains', 'tags', 'users', 'invitations'] as const) {
    const rows = sql`select 1 from ${sql.table(table)} where organization_id = ${id} limit 1`;
    if ((await rows.execute(queries)).rows.length > 0) return false;
  }
  await queries.deleteFrom('organizations').where('id', '=', id).execute();
  return true;
}
