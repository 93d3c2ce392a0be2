import type { Tag } from '../api-types.ts';
import { call } from '../client.ts';
import { useQuery } from '../queries.ts';

/** A tag in the address whose name can't be loaded: the filter is still shown, and can be removed. */
const unknownTag = (id: number): Tag => ({ id, name: `Tag ${id}`, organization_id: 0, created_at: '' });

/** The tags of these ids, with their names once they have loaded; `knownTags` also has those chosen on the page. */
export function useTagsNamed(ids: readonly number[], knownTags: Map<number, Tag>): readonly Tag[] {
  const named = useQuery(`tags named ${ids}`, () =>
    Promise.all(
      ids.map((id) => call('GET /api/v1/tag/{id}', { params: { id } }).catch(() => unknownTag(id))),
    ),
  );
  for (const tag of named.data.value ?? []) knownTags.set(tag.id, tag);
  return ids.map((id) => knownTags.get(id) ?? { ...unknownTag(id), name: '…' });
}
