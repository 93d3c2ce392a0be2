import type { CountedTag, Tag } from '../api-types.ts';
import { call } from '../client.ts';
import type { CreateOnce } from '../create-once.ts';
import { type Query, refresh, updateCached, useQuery } from '../queries.ts';

/** All tags of the organization; not loaded before they are needed, because there may be ten thousand. */
export const useTags = (isNeeded = true): Query<readonly CountedTag[]> =>
  useQuery<readonly CountedTag[]>(
    isNeeded ? 'tags' : 'no tags',
    isNeeded ? () => call('GET /api/v1/tag') : async () => [],
  );

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
/** Folds a name roughly as the server does; the server's comparison decides in the end. */
const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

const foldedNames = new WeakMap<Tag, string>();
/** Cached, as every typed letter searches up to ten thousand names. */
function foldedName(tag: Tag): string {
  const cached = foldedNames.get(tag);
  if (cached !== undefined) return cached;
  const name = folded(tag.name);
  foldedNames.set(tag, name);
  return name;
}

export const byName = (one: Tag, other: Tag): number => collator.compare(one.name, other.name);

/** First the names that begin with the words, then those with the most links. */
export function tagsLike(tags: readonly CountedTag[], words: string): readonly CountedTag[] {
  const foldedWords = folded(words);
  const found: { readonly tag: CountedTag; readonly isBeginning: boolean }[] = [];
  for (const tag of tags) {
    const at = foldedName(tag).indexOf(foldedWords);
    if (at >= 0) found.push({ tag, isBeginning: at === 0 });
  }
  return found
    .sort(
      (one, other) =>
        Number(other.isBeginning) - Number(one.isBeginning) ||
        other.tag.links - one.tag.links ||
        byName(one.tag, other.tag),
    )
    .map(({ tag }) => tag);
}

export const isNamed = (tag: Tag, name: string): boolean => foldedName(tag) === folded(name);

export async function createTag(createOnce: CreateOnce, name: string): Promise<CountedTag> {
  const tag = await createOnce('POST /api/v1/tag', { body: { name } });
  updateCached<readonly CountedTag[]>('tags', (known) => [...known, tag]);
  refresh('tags');
  return tag;
}
