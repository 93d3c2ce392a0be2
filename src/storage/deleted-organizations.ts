import { type RawBuilder, sql } from 'kysely';
import { updateDomain } from './domains.ts';
import { recordHostChange } from './host-changes.ts';
import { prepared } from './prepared.ts';
import type { Queries } from './schema.ts';

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
  const rows = await queries
    .selectFrom('links')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** All its deleted links, including those that only reserve their suffix. */
export async function binnedIdsOf(
  queries: Queries,
  organizationId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await queries
    .selectFrom('link_bin')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

type Deletion = (organizationId: number, limit: number) => RawBuilder<unknown>;

/** Each has hundreds of hits. */
const packsAtOnce = 50;

const firstOf = (table: string, organizationId: number, limit: number): RawBuilder<unknown> =>
  sql`delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where organization_id = ${organizationId} order by id limit ${limit}
  ) returning 1`;

/** Each deletes some rows of an organization, and returns one row for each. */
const deletions: readonly Deletion[] = [
  (id, limit) => firstOf('webhook_deliveries', id, limit),
  (id, limit) => firstOf('hits', id, limit),
  (id) => firstOf('hit_packs', id, packsAtOnce),
  (id, limit) => sql`delete from organization_rollups
    where (organization_id, dimension, hour, class, value) in (
      select organization_id, dimension, hour, class, value from organization_rollups
      where organization_id = ${id} limit ${limit}
    ) returning 1`,
  (id) => sql`delete from utm_templates where organization_id = ${id} returning 1`,
  (id) => sql`delete from tags where organization_id = ${id} returning 1`,
  (id) => sql`delete from link_counts where organization_id = ${id} returning 1`,
  (id) => sql`delete from link_blocks where organization_id = ${id} returning 1`,
  (id) => sql`delete from link_block_marks where organization_id = ${id} returning 1`,
  (id) => sql`delete from click_corrections where organization_id = ${id} returning 1`,
  (id) => sql`delete from webhook_outages where organization_id = ${id} returning 1`,
  (id) => sql`delete from watched_links where organization_id = ${id} returning 1`,
  (id) => sql`delete from idempotency_keys where organization_id = ${id} returning 1`,
];

/** Deletes some of what an organization has besides its links; false if there was nothing. */
export async function deleteSomeOf(
  queries: Queries,
  organizationId: number,
  limit: number,
): Promise<boolean> {
  for (const deletion of deletions) {
    const { rows } = await deletion(organizationId, limit).execute(queries);
    if (rows.length > 0) return true;
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
