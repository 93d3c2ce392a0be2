import { Refusal } from '../rules/errors.ts';
import type { Queries } from '../storage/schema.ts';
import { ownTags, type StoredTag } from '../storage/tags.ts';

export const mostTagsOnLink = 100;

/** All of these tags, or a refusal: a tag of another organization is refused like one that doesn't exist. */
export async function requireTags(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
  field: string,
): Promise<readonly StoredTag[]> {
  const wanted = [...new Set(ids)];
  const tags = await ownTags(queries, organizationId, wanted);
  const missing = wanted.filter((id) => !tags.some((tag) => tag.id === id));
  if (missing.length > 0) throw unknownTags(missing, field);
  return tags;
}

export function unknownTags(ids: readonly number[], field: string): Refusal {
  const named = ids.length === 1 ? `tag ${ids[0]}` : `tags ${ids.join(', ')}`;
  return new Refusal(
    'TAG_NOT_FOUND',
    `There is no ${named} in your organization. GET /api/v1/tag lists the tags.`,
    { field },
  );
}

export const tooManyTags = (field: string): Refusal =>
  new Refusal('FIELD_INVALID', `A link has at most ${mostTagsOnLink} tags.`, { field });
