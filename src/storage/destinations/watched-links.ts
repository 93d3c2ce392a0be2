import { type Selectable, sql } from 'kysely';
import { type StoredLink, withHost } from '../links/links.ts';
import { hasRow, idsOf, insertInParts } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

type WatchedLink = Selectable<Schema['watched_links']>;

/** Organizations that have their links' destinations watched. */
export async function watchingOrganizations(queries: Queries): Promise<number[]> {
  const watching = queries.selectFrom('organizations').select('id').where('watch_destinations', '=', 1);
  return idsOf(await watching.where('deleted_at', 'is', null).orderBy('id').execute());
}

const linksAfter = (queries: Queries, after: number, limit: number) =>
  withHost(queries).where('links.id', '>', after).orderBy('links.id').limit(limit);

/** Links with a watch setting of their own, after `after`. */
export const ownWatched = (queries: Queries, after: number, limit: number): Promise<StoredLink[]> =>
  linksAfter(queries, after, limit).where('links.watch_destination', '=', sql.lit(1)).execute();

/** Links that follow their organization's setting. */
export const linksWatchedWith = (queries: Queries, organizationId: number, after: number, limit: number) =>
  linksAfter(queries, after, limit)
    .where('links.organization_id', '=', organizationId)
    .where('links.watch_destination', 'is', null)
    .execute();

export const watchedAddresses = (
  queries: Queries,
  linkIds: readonly number[],
): Promise<{ link_id: number; url_id: number; url: string }[]> =>
  linkIds.length === 0
    ? Promise.resolve([])
    : queries
        .selectFrom('watched_links')
        .innerJoin('watched_urls', 'watched_urls.id', 'watched_links.url_id')
        .select(['watched_links.link_id', 'watched_links.url_id', 'watched_urls.url'])
        .where('watched_links.link_id', 'in', linkIds)
        .execute();

export const insertWatched = (queries: Queries, rows: readonly WatchedLink[]): Promise<void> =>
  insertInParts(rows, (part) =>
    queries
      .insertInto('watched_links')
      .values(part)
      .onConflict((conflict) => conflict.columns(['link_id', 'url_id']).doNothing()),
  );

export async function deleteWatched(
  queries: Queries,
  { link_id, url_id }: Pick<WatchedLink, 'link_id' | 'url_id'>,
): Promise<void> {
  await queries
    .deleteFrom('watched_links')
    .where('link_id', '=', link_id)
    .where('url_id', '=', url_id)
    .execute();
}

export async function deleteWatchedOf(queries: Queries, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return;
  await queries.deleteFrom('watched_links').where('link_id', 'in', linkIds).execute();
}

/** Ids of links with watched destinations, in order. */
export async function watchedLinkIds(queries: Queries, after: number, limit: number): Promise<number[]> {
  const rows = await queries
    .selectFrom('watched_links')
    .select('link_id')
    .distinct()
    .where('link_id', '>', after)
    .orderBy('link_id')
    .limit(limit)
    .execute();
  return rows.map(({ link_id }) => link_id);
}

/** Those of these links that exist and are watched, by themselves or with their organization. */
export async function stillWatched(queries: Queries, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await queries
    .selectFrom('links')
    .innerJoin('organizations', 'organizations.id', 'links.organization_id')
    .select('links.id')
    .where('links.id', 'in', ids)
    .where(({ or, and, eb }) =>
      or([
        eb('links.watch_destination', '=', 1),
        and([eb('links.watch_destination', 'is', null), eb('organizations.watch_destinations', '=', 1)]),
      ]),
    )
    .execute();
  return new Set(idsOf(rows));
}

/** Whether any link leads to an address. */
export const isWatchedUrl = (queries: Queries, urlId: number): Promise<boolean> =>
  hasRow(queries.selectFrom('watched_links').select('link_id').where('url_id', '=', urlId).limit(1));

/** Links that lead to an address, after `after`. */
export const linksToUrl = (queries: Queries, urlId: number, after: number, limit: number) =>
  queries
    .selectFrom('watched_links')
    .select(['link_id', 'organization_id'])
    .where('url_id', '=', urlId)
    .where('link_id', '>', after)
    .orderBy('link_id')
    .limit(limit)
    .execute();

/** Sets since when administrators have not been mailed about an address of a link; null if there is nothing to mail. */
export async function setUnmailed(
  queries: Queries,
  { link_id, url_id }: Pick<WatchedLink, 'link_id' | 'url_id'>,
  unmailed: number | null,
): Promise<void> {
  await queries
    .updateTable('watched_links')
    .set({ unmailed })
    .where('link_id', '=', link_id)
    .where('url_id', '=', url_id)
    .execute();
}

export async function setProblems(queries: Queries, linkId: number, problems: string | null): Promise<void> {
  await queries
    .updateTable('links')
    .set({ destination_problems: problems })
    .where('id', '=', linkId)
    .execute();
}

/** Clears the problems of their destinations. */
export async function clearProblems(queries: Queries, linkIds: readonly number[]): Promise<void> {
  await queries
    .updateTable('links')
    .set({ destination_problems: null })
    .where('id', 'in', linkIds)
    .where('destination_problems', 'is not', null)
    .execute();
}
