import type { CountedTag, Tag } from '../api-types.ts';
import { call } from '../client.ts';
import { assume, type Query, refresh, useQuery } from '../queries.ts';

/** All tags of the organization; not loaded before they are needed, as there may be ten thousand. */
export const useTags = (isWanted = true): Query<readonly CountedTag[]> =>
  useQuery<readonly CountedTag[]>(
    isWanted ? 'tags' : 'no tags',
    isWanted ? () => call('GET /api/v1/tag') : async () => [],
  );

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
/** As the server compares names, near enough: it has the last word. */
const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

const foldedNames = new WeakMap<Tag, string>();
/** Kept: ten thousand names are looked through at every letter that is typed. */
function foldedName(tag: Tag): string {
  const known = foldedNames.get(tag);
  if (known !== undefined) return known;
  const name = folded(tag.name);
  foldedNames.set(tag, name);
  return name;
}

export const byName = (one: Tag, other: Tag): number => collator.compare(one.name, other.name);

/** Names that begin with the words first, then those that are used most. */
export function tagsLike(tags: readonly CountedTag[], words: string): readonly CountedTag[] {
  const wanted = folded(words);
  const found: { readonly tag: CountedTag; readonly isBeginning: boolean }[] = [];
  for (const tag of tags) {
    const at = foldedName(tag).indexOf(wanted);
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

export async function makeTag(name: string): Promise<CountedTag> {
  const made = await call('POST /api/v1/tag', { body: { name } });
  assume<readonly CountedTag[]>('tags', (known) => [...known, made]);
  refresh('tags');
  return made;
}
