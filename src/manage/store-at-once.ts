import { insertAtOnce } from '../storage/insert-at-once.ts';
import type { LinkWithTags } from './create-link.ts';
import { completed, madeFrom, type PreparedLink, type StoringMeans } from './store-links.ts';

/**
 * Makes those of these links that need nothing but a free place, in one message to the store where it has such a way: each
 * turn between two messages waits until this thread has time for it. Returns what was made; what wasn't is for `storeLinks`,
 * which finds out why.
 */
export async function storeAtOnce(
  { database, now }: StoringMeans,
  links: readonly PreparedLink[],
): Promise<ReadonlyMap<PreparedLink, LinkWithTags>> {
  const made = new Map<PreparedLink, LinkWithTags>();
  const plain = links.filter((link) => link.tagIds.length === 0);
  if (database.writeWhole === null || plain.length === 0) return made;
  const rows = plain.map((link) => completed(link, link.suffix, null));
  const inserted = await insertAtOnce(database, database.writeWhole, rows, now());
  for (const [index, link] of plain.entries()) {
    const [row, place] = [rows[index], inserted[index]];
    if (row && place) made.set(link, madeFrom(link, row, place));
  }
  return made;
}
