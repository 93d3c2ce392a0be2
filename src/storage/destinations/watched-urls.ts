import type { Selectable } from 'kysely';
import type { CheckState } from '../../rules/destinations/destination-check.ts';
import { prepared } from '../prepared.ts';
import { insertInParts } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type WatchedUrl = Selectable<Schema['watched_urls']>;

/** A host's address that is due first in each turn, in the order of turns. */
export async function nextUrls(queries: Queries, host: string): Promise<WatchedUrl[]> {
  const ofHost = queries.selectFrom('watched_urls').selectAll().where('host', '=', host);
  const nextOf = (turn: number) =>
    ofHost.where('turn', '=', turn).orderBy('next_at').limit(1).executeTakeFirst();
  return [await nextOf(0), await nextOf(1)].flatMap((url) => url ?? []);
}

export const urlDue = async (queries: Queries, host: string, now: number): Promise<WatchedUrl | null> =>
  (await nextUrls(queries, host)).find(({ next_at }) => next_at <= now) ?? null;

export const findWatchedUrl = (queries: Queries, id: number): Promise<WatchedUrl | undefined> =>
  queries.selectFrom('watched_urls').selectAll().where('id', '=', id).executeTakeFirst();

export const urlsByKey = (queries: Queries, keys: readonly string[]): Promise<WatchedUrl[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : queries.selectFrom('watched_urls').selectAll().where('url_key', 'in', keys).execute();

/** Another node may have stored some of them meanwhile. */
export const insertUrls = (
  queries: Queries,
  rows: readonly (CheckState & { readonly url_key: string })[],
): Promise<void> =>
  insertInParts(rows, (part) =>
    queries
      .insertInto('watched_urls')
      .values(part)
      .onConflict((conflict) => conflict.column('url_key').doNothing()),
  );

/** Stores the state of an address, which itself doesn't change. */
export async function updateUrl(queries: Queries, { id, url, url_key, ...state }: WatchedUrl): Promise<void> {
  await queries.updateTable('watched_urls').set(state).where('id', '=', id).execute();
}

/** Deletes those of a page that no link leads to, and returns where the next page begins; null after the last one. */
export async function deleteUnusedUrls(
  queries: Queries,
  after: number,
  limit: number,
): Promise<number | null> {
  const page = await queries
    .selectFrom('watched_urls')
    .leftJoin('watched_links', 'watched_links.url_id', 'watched_urls.id')
    .select(['watched_urls.id', 'watched_links.link_id'])
    .where('watched_urls.id', '>', after)
    .orderBy('watched_urls.id')
    .limit(limit)
    .execute();
  const unused = page.flatMap(({ id, link_id }) => (link_id === null ? [id] : []));
  if (unused.length > 0) await queries.deleteFrom('watched_urls').where('id', 'in', unused).execute();
  return page.length < limit ? null : (page.at(-1)?.id ?? null);
}

/** Addresses whose new state has not been copied to their links. */
export const uncopiedUrls = prepared((queries, limit: number) =>
  queries
    .selectFrom('watched_urls')
    .selectAll()
    .where('untold', 'is not', null)
    .orderBy('untold')
    .limit(limit)
    .compile(),
);

/** If it has changed since `untold`, its links are updated again. */
export async function setUrlCopied(queries: Queries, { id, untold }: WatchedUrl): Promise<void> {
  await queries
    .updateTable('watched_urls')
    .set({ untold: null })
    .where('id', '=', id)
    .where('untold', '=', untold)
    .execute();
}

export async function setUrlsUncopied(queries: Queries, ids: readonly number[], now: number): Promise<void> {
  if (ids.length === 0) return;
  await queries.updateTable('watched_urls').set({ untold: now }).where('id', 'in', ids).execute();
}

export const countUrls = (queries: Queries): Promise<{ problem: string | null; count: number }[]> =>
  queries
    .selectFrom('watched_urls')
    .select((counted) => ['problem', counted.fn.countAll<number>().as('count')])
    .groupBy('problem')
    .execute();
