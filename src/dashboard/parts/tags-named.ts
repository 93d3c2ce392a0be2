import { asApiError } from '../api-error.ts';
import type { Tag } from '../api-types.ts';
import { call } from '../client.ts';
import { type Query, useQuery } from '../queries.ts';

/** A tag in the address whose name can't be loaded: the filter is still shown, and can be removed. */
const unknownTag = (id: number): Tag => ({ id, name: `Tag ${id}`, organization_id: 0, created_at: '' });

interface FoundTag {
  readonly tag: Tag;
  readonly isGone: boolean;
}

const findTag = (id: number): Promise<FoundTag> =>
  call('GET /api/v1/tag/{id}', { params: { id } }).then(
    (tag) => ({ tag, isGone: false }),
    (cause) => ({ tag: unknownTag(id), isGone: asApiError(cause).status === 404 }),
  );

const useFoundTags = (ids: readonly number[]): Query<readonly FoundTag[]> =>
  useQuery(`tags named ${ids}`, () => Promise.all(ids.map(findTag)));

/** Whether one of these tags no longer exists, as of a bookmark. */
export const useIsTagGone = (ids: readonly number[]): boolean =>
  useFoundTags(ids).data.value?.some(({ isGone }) => isGone) ?? false;

/** The tags of these ids, with their names once they have loaded; `knownTags` also has those chosen on the page. */
export function useTagsNamed(ids: readonly number[], knownTags: Map<number, Tag>): readonly Tag[] {
  for (const { tag } of useFoundTags(ids).data.value ?? []) knownTags.set(tag.id, tag);
  return ids.map((id) => knownTags.get(id) ?? { ...unknownTag(id), name: '…' });
}
