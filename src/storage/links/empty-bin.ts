import { idsOf } from '../rows.ts';
import type { Queries } from '../schema.ts';
import { erasedColumns } from './link-columns.ts';
import { deleteRecordsOf } from './link-records.ts';

/** Permanently deletes those of these links that are in the organization's bin. Returns how many. */
export async function purgeLinks(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
  deletedAfter: number,
  now: number,
): Promise<number> {
  const emptied = await queries
    .updateTable('link_bin')
    .set({ ...erasedColumns, emptied_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .where('deleted_at', '>', deletedAfter)
    .where('emptied_at', 'is', null)
    .returning('id')
    .execute();
  const emptiedIds = idsOf(emptied);
  if (emptiedIds.length > 0)
    await queries.deleteFrom('link_bin_tags').where('link_id', 'in', emptiedIds).execute();
  await deleteRecordsOf(queries, emptiedIds);
  return emptiedIds.length;
}

/** Some of the links in an organization's bin that were deleted up to an instant. */
export async function binnedBefore(
  queries: Queries,
  organizationId: number,
  upTo: number,
  limit: number,
): Promise<number[]> {
  const rows = await queries
    .selectFrom('link_bin')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', '<=', upTo)
    .where('emptied_at', 'is', null)
    .orderBy('deleted_at')
    .limit(limit)
    .execute();
  return idsOf(rows);
}
