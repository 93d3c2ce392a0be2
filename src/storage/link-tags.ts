import type { Queries } from './schema.ts';
import type { StoredTag } from './tags.ts';

export async function attachTags(queries: Queries, linkId: number, tagIds: readonly number[]): Promise<void> {
  if (tagIds.length === 0) return;
  await queries
    .insertInto('link_tags')
    .values(tagIds.map((tagId) => ({ link_id: linkId, tag_id: tagId })))
    .onConflict((conflict) => conflict.columns(['link_id', 'tag_id']).doNothing())
    .execute();
}

export async function detachTags(queries: Queries, linkId: number, tagIds: readonly number[]): Promise<void> {
  if (tagIds.length === 0) return;
  await queries.deleteFrom('link_tags').where('link_id', '=', linkId).where('tag_id', 'in', tagIds).execute();
}

export async function countTags(queries: Queries, linkId: number): Promise<number> {
  const row = await queries
    .selectFrom('link_tags')
    .select((counted) => counted.fn.countAll<number>().as('count'))
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The tags of many links in one query, oldest tag first. */
export async function tagsOf(
  queries: Queries,
  linkIds: readonly number[],
): Promise<ReadonlyMap<number, readonly StoredTag[]>> {
  const found = new Map<number, StoredTag[]>();
  if (linkIds.length === 0) return found;
  const rows = await queries
    .selectFrom('link_tags')
    .innerJoin('tags', 'tags.id', 'link_tags.tag_id')
    .select(['link_tags.link_id', 'tags.id', 'tags.created_at', 'tags.organization_id', 'tags.name'])
    .where('link_tags.link_id', 'in', linkIds)
    .orderBy('tags.id')
    .execute();
  for (const { link_id, ...tag } of rows) {
    const tags = found.get(link_id);
    if (tags) tags.push(tag);
    else found.set(link_id, [tag]);
  }
  return found;
}
