import type { Queries } from './schema.ts';

/** What is left of a link that was taken out of the bin for good: whose suffix it was, and since when it is deleted. */
const nothing = {
  destination_url: '',
  android_url: null,
  ios_url: null,
  og_title: null,
  og_description: null,
  og_image: null,
  password_hash: null,
  name: null,
  webhook_url: null,
  webhook_auth_key: null,
  zapier_hook_url: null,
  search_text: '',
} as const;

/** Empties the bin of these links, as far as they are an organization's and in it. Returns how many were. */
export async function emptyOfLinks(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
  deletedAfter: number,
  now: number,
): Promise<number> {
  const emptied = await queries
    .updateTable('link_bin')
    .set({ ...nothing, emptied_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .where('deleted_at', '>', deletedAfter)
    .where('emptied_at', 'is', null)
    .returning('id')
    .execute();
  const gone = emptied.map(({ id }) => id);
  if (gone.length > 0) await queries.deleteFrom('link_bin_tags').where('link_id', 'in', gone).execute();
  return gone.length;
}

/** Some of the links in an organization's bin that were deleted up to an instant. */
export async function someInBin(
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
  return rows.map(({ id }) => id);
}
