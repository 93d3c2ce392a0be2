import { invalidField, Refusal } from '../../rules/errors.ts';
import { attachTags, detachTags, hasMoreTags } from '../../storage/links/link-tags.ts';
import { idsOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import { ownTags, type StoredTag } from '../../storage/tags.ts';

const maxTagsOnLink = 100;

/** All of these tags, or a refusal: a tag of another organization is refused like one that doesn't exist. */
export async function requireTags(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
  field: string,
): Promise<readonly StoredTag[]> {
  const uniqueIds = [...new Set(ids)];
  const tags = await ownTags(queries, organizationId, uniqueIds);
  const missing = uniqueIds.filter((id) => !tags.some((tag) => tag.id === id));
  if (missing.length > 0) throw unknownTags(missing, field);
  return tags;
}

/**
 * Adds tags to links and removes tags from them (deleted tags and those that a link doesn't have count as removed), and returns
 * the ids of the links that changed.
 */
export async function changeTags(
  queries: Queries,
  organizationId: number,
  linkIds: readonly number[],
  {
    add_tags = [],
    remove_tags = [],
  }: {
    readonly add_tags?: readonly number[] | undefined;
    readonly remove_tags?: readonly number[] | undefined;
  },
): Promise<ReadonlySet<number>> {
  const added = await requireTags(queries, organizationId, add_tags, 'add_tags');
  const attached = await attachTags(queries, linkIds, idsOf(added));
  const detached = await detachTags(queries, linkIds, [...new Set(remove_tags)]);
  if (attached.length > 0 && (await hasMoreTags(queries, linkIds, maxTagsOnLink)))
    throw invalidField('add_tags', `A link has at most ${maxTagsOnLink} tags.`);
  return new Set([...attached, ...detached].map((row) => row.link_id));
}

export function unknownTags(ids: readonly number[], field: string): Refusal {
  const named = ids.length === 1 ? `tag ${ids[0]}` : `tags ${ids.join(', ')}`;
  return new Refusal(
    'TAG_NOT_FOUND',
    `There is no ${named} in your organization. GET /api/v1/tag lists the tags.`,
    { field },
  );
}
