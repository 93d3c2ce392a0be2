import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { idsOf } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import { restoreExternalIds } from './external-ids.ts';
import { dropLinks } from './insert-links.ts';
import { copyAliases, withTakenAddress } from './link-aliases.ts';
import { linkColumns } from './link-columns.ts';
import { deleteTracesOf } from './link-records.ts';
import { isRestorable } from './list-deleted.ts';

const columns = Object.keys(linkColumns) as (keyof typeof linkColumns)[];

/** Moves links with their tags to the bin, from which they can be restored. */
export async function moveToBin(queries: Queries, ids: readonly number[], now: number): Promise<void> {
  await queries
    .insertInto('link_bin')
    .columns([...columns, 'deleted_at'])
    .expression(
      queries
        .selectFrom('links')
        .select(columns)
        .select(sql<number>`cast(${now} as bigint)`.as('deleted_at'))
        .where('id', 'in', ids),
    )
    .execute();
  await copyTags(queries, 'link_tags', 'link_bin_tags', ids);
  await queries.deleteFrom('links').where('id', 'in', ids).execute();
}

async function copyTags(
  queries: Queries,
  from: 'link_tags' | 'link_bin_tags',
  to: 'link_tags' | 'link_bin_tags',
  ids: readonly number[],
): Promise<void> {
  await queries
    .insertInto(to)
    .columns(['link_id', 'tag_id'])
    .expression(queries.selectFrom(from).select(['link_id', 'tag_id']).where('link_id', 'in', ids))
    .execute();
}

const shown = [
  'id',
  'organization_id',
  'domain_id',
  'suffix',
  'aliases',
  'external_id',
  'deleted_at',
] as const;

/** What a link may have lost while it was in the bin. */
export type LosableFields = Pick<BinnedLink, 'aliases' | 'external_id'>;

export type BinnedLink = Pick<Selectable<Schema['link_bin']>, (typeof shown)[number]>;

/** Those of these links that can be restored. They are locked: if two concurrent calls restore one, only one of them finds it. */
export function lockRestorable(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
  deletedAfter: number,
): Promise<BinnedLink[]> {
  return queries
    .selectFrom('link_bin')
    .select(shown)
    .where(isRestorable(organizationId, deletedAfter))
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/**
 * Restores them unless a link has their suffix now; of several with the same suffix, the one that was deleted last. An external
 * id or an alias that another link has by now is lost. Returns what restored links have of these. Throws NotUnique like
 * `restoreExternalIds`.
 */
export async function moveFromBin(
  queries: Queries,
  requestedIds: readonly number[],
): Promise<ReadonlyMap<number, LosableFields>> {
  // External ids follow once it is certain which links are restored.
  const inserted = columns.filter((name) => name !== 'external_id');
  const moved = await queries
    .insertInto('links')
    .columns(inserted)
    .expression(
      queries
        .selectFrom('link_bin')
        .select(inserted)
        .where('id', 'in', requestedIds)
        // As in `compareAddresses`.
        .orderBy('domain_id')
        .orderBy(sql`suffix ${sql.raw(dialectOf(queries).textOrder)}`)
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  if (moved.length === 0) return new Map();
  const movedIds = idsOf(moved);
  const taken = await withTakenAddress(queries, movedIds);
  if (taken.length > 0) await dropLinks(queries, taken);
  const ids = movedIds.filter((id) => !taken.includes(id));
  if (ids.length === 0) return new Map();
  const externalIds = await restoreExternalIds(queries, ids);
  const aliases = await copyAliases(queries, ids);
  await copyTags(queries, 'link_bin_tags', 'link_tags', ids);
  await removeFromBin(queries, ids);
  return new Map(
    ids.map((id) => [id, { aliases: aliases.get(id) ?? null, external_id: externalIds.get(id) ?? null }]),
  );
}

export async function removeFromBin(queries: Queries, ids: readonly number[]): Promise<void> {
  await queries.deleteFrom('link_bin').where('id', 'in', ids).execute();
}

/** The ids of some links in the bin that were deleted up to an instant. */
export async function oldBinned(queries: Queries, upTo: number, limit: number): Promise<number[]> {
  const old = queries.selectFrom('link_bin').select('id').where('deleted_at', '<=', upTo);
  return idsOf(await old.orderBy('deleted_at').limit(limit).execute());
}

/** Deletes links permanently, once nothing is left of their counts. */
export async function deleteBinned(queries: Queries, ids: readonly number[]): Promise<void> {
  await removeFromBin(queries, ids);
  await deleteTracesOf(queries, ids);
}
