import { createHash } from 'node:crypto';
import { initialCheck } from '../../rules/destinations/destination-check.ts';
import {
  problemsLeft,
  readProblems,
  watchedDestinations,
} from '../../rules/destinations/watched-destinations.ts';
import { setHostDue } from '../../storage/destinations/watched-hosts.ts';
import {
  clearProblems,
  deleteWatched,
  deleteWatchedOf,
  insertWatched,
  setProblems,
  watchedAddresses,
} from '../../storage/destinations/watched-links.ts';
import { insertUrls, setUrlsUncopied, urlsByKey } from '../../storage/destinations/watched-urls.ts';
import { lockLink, type StoredLink } from '../../storage/links/links.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';

/** A link can have a hundred destinations. */
const perTransaction = 200;

/** Makes the destinations of these links exactly the watched ones. Nothing is written if they are already. */
export async function watchLinks(
  { database, now }: Pick<Context, 'database' | 'now'>,
  links: readonly StoredLink[],
): Promise<void> {
  const at = now();
  const urlsToWatch = new Map(links.map((link) => [link.id, watchedDestinations(link, at)]));
  const stored = await watchedAddresses(database.read, [...urlsToWatch.keys()]);
  const extra = stored.filter(({ link_id, url }) => !urlsToWatch.get(link_id)?.includes(url));
  const urlsOf = Map.groupBy(stored, ({ link_id }) => link_id);
  const missing = links.flatMap((link) => {
    const watched = new Set(urlsOf.get(link.id)?.map(({ url }) => url));
    return (urlsToWatch.get(link.id) ?? []).filter((url) => !watched.has(url)).map((url) => ({ link, url }));
  });
  for (const rows of inParts(extra))
    await database.write(async (queries) => {
      for (const row of rows) await deleteWatched(queries, row);
    });
  const changedIds = new Set(extra.map(({ link_id }) => link_id));
  for (const { id, organization_id } of links.filter((link) => changedIds.has(link.id)))
    await database.write(async (queries) => {
      const link = await lockLink(queries, organization_id, id);
      if (link) await setProblems(queries, id, problemsLeft(link, at));
    });
  for (const rows of inParts(missing)) await database.write((queries) => addAll(queries, rows, at));
}

/** Stops watching the destinations of these links, and clears their problems. */
export async function unwatchLinks(
  { database }: Pick<Context, 'database'>,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await database.write(async (queries) => {
    await deleteWatchedOf(queries, ids);
    await clearProblems(queries, ids);
  });
}

interface Missing {
  readonly link: StoredLink;
  readonly url: string;
}

async function addAll(queries: Queries, missing: readonly Missing[], now: number): Promise<void> {
  const keys = new Map(missing.map(({ url }) => [url, keyOf(url)]));
  const known = new Set((await urlsByKey(queries, [...keys.values()])).map(({ url_key }) => url_key));
  const created = [...keys].filter(([, key]) => !known.has(key));
  await insertUrls(
    queries,
    created.map(([url, url_key]) => ({ url_key, ...notChecked(url), next_at: now })),
  );
  // In the same order on all nodes, so that two nodes never deadlock.
  const hosts = new Set(created.map(([url]) => new URL(url).hostname));
  for (const host of [...hosts].sort()) await setHostDue(queries, host, now);
  const urls = new Map((await urlsByKey(queries, [...keys.values()])).map((row) => [row.url, row]));
  const rows = missing.flatMap(({ url }) => urls.get(url) ?? []);
  await insertWatched(
    queries,
    missing.flatMap(({ link: { id, organization_id }, url }) => {
      const row = urls.get(url);
      return row ? [{ link_id: id, url_id: row.id, organization_id, unmailed: null }] : [];
    }),
  );
  // A link that was restored from the bin may still have its former problems.
  const reported = new Set(
    missing.flatMap(({ link }) => readProblems(link.destination_problems).map(({ url }) => url)),
  );
  const untold = rows.filter(({ problem, url }) => problem !== null || reported.has(url)).map(({ id }) => id);
  await setUrlsUncopied(queries, [...new Set(untold)], now);
}

const notChecked = (url: string) => ({
  url,
  ...initialCheck(url),
  turn: 1,
  problem: null,
  detail: null,
  since: null,
  suspected: null,
  suspected_at: null,
  untold: null,
});

const keyOf = (url: string): string => createHash('sha256').update(url).digest('base64url');

function* inParts<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += perTransaction)
    yield list.slice(from, from + perTransaction);
}
