import { sql } from 'kysely';
import { hasRow, insertInParts } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import { addToTagCounts, perTag } from '../tag-counts.ts';
import type { StoredTag } from '../tags.ts';

type LinkTag = Schema['link_tags'];

/** Adds tags to new links, which can't have any yet. */
export async function insertLinkTags(queries: Queries, rows: readonly LinkTag[]): Promise<void> {
  await insertInParts(rows, (part) => queries.insertInto('link_tags').values(part));
  await addToTagCounts(queries, rows[0]?.link_id ?? 0, perTag(rows));
}

/** Adds these tags to each of these links, and returns what was added. */
export async function attachTags(
  queries: Queries,
  linkIds: readonly number[],
  tagIds: readonly number[],
): Promise<readonly LinkTag[]> {
  if (linkIds.length === 0 || tagIds.length === 0) return [];
  const attached = await queries
    .insertInto('link_tags')
    .columns(['link_id', 'tag_id'])
    .expression((from) =>
      from
        .selectFrom('links')
        .innerJoin('tags', (join) => join.onTrue())
        .select(['links.id', 'tags.id as tag_id'])
        .where('links.id', 'in', linkIds)
        .where('tags.id', 'in', tagIds),
    )
    .onConflict((conflict) => conflict.columns(['link_id', 'tag_id']).doNothing())
    .returning(['link_id', 'tag_id'])
    .execute();
  await addToTagCounts(queries, linkIds[0] ?? 0, perTag(attached));
  return attached;
}

/** Removes these tags from each of these links, and returns what was removed. */
export async function detachTags(
  queries: Queries,
  linkIds: readonly number[],
  tagIds: readonly number[],
): Promise<readonly LinkTag[]> {
  if (linkIds.length === 0 || tagIds.length === 0) return [];
  const detached = await queries
    .deleteFrom('link_tags')
    .where('link_id', 'in', linkIds)
    .where('tag_id', 'in', tagIds)
    .returning(['link_id', 'tag_id'])
    .execute();
  await addToTagCounts(queries, linkIds[0] ?? 0, perTag(detached, -1));
  return detached;
}

/** Whether one of these links has more than `limit` tags. */
export async function hasMoreTags(
  queries: Queries,
  linkIds: readonly number[],
  limit: number,
): Promise<boolean> {
  return hasRow(
    queries
      .selectFrom('link_tags')
      .select('link_id')
      .where('link_id', 'in', linkIds)
      .groupBy('link_id')
      .having((counted) => counted.fn.countAll<number>(), '>', limit)
      .limit(1),
  );
}

/** How many of these links have each tag. */
export async function tagsAmong(
  queries: Queries,
  linkIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await queries
    .selectFrom('link_tags')
    .select(['tag_id', sql<number>`count(*)`.as('links')])
    .where('link_id', 'in', linkIds)
    .groupBy('tag_id')
    .execute();
  return new Map(rows.map(({ tag_id, links }) => [tag_id, links]));
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
  for (const { link_id, ...tag } of rows) found.getOrInsertComputed(link_id, () => []).push(tag);
  return found;
}
