import { dayLength, minuteLength } from '../../rules/durations.ts';
import { beginSweep, continueSweep, endSweep, isSweepDue } from '../../storage/destinations/watch-sweeps.ts';
import { deleteUnusedHosts } from '../../storage/destinations/watched-hosts.ts';
import {
  linksWatchedWith,
  ownWatched,
  stillWatched,
  watchedLinkIds,
  watchingOrganizations,
} from '../../storage/destinations/watched-links.ts';
import { deleteUnusedUrls } from '../../storage/destinations/watched-urls.ts';
import type { StoredLink } from '../../storage/links/links.ts';
import type { Context } from '../context.ts';
import { unwatchLinks, watchLinks } from './watched-page.ts';

const interval = 15 * minuteLength;
/** By then a page has long been processed, or its node has crashed. */
const claimLength = 5 * minuteLength;
const robotsKept = 30 * dayLength;
const perPage = 200;

/**
 * Goes through all watched links for what was created, changed or deleted since the last sweep, so that no other call has to handle
 * the watch; links of nodes of an earlier version are found too. One node does it at a time.
 */
export async function sweepWatched(context: Context, isStopped: () => boolean): Promise<void> {
  const { database, now, config } = context;
  const finishedBefore = now() - interval;
  if (!(await isSweepDue(database.read, now(), finishedBefore))) return;
  const until = () => now() + claimLength;
  const isOurs = await database.write((queries) =>
    beginSweep(queries, { now: now(), finishedBefore, until: until() }),
  );
  if (!isOurs) return;
  const isOn = config.watchDestinations === 'on';
  const pass = async (page: (after: number) => Promise<number | null>): Promise<void> => {
    for (let after: number | null = 0; after !== null && !isStopped(); ) {
      after = await page(after);
      await database.write((queries) => continueSweep(queries, until()));
    }
  };
  const watchEach = (read: (after: number) => Promise<StoredLink[]>) =>
    pass(async (after) => {
      const links = await read(after);
      await watchLinks(context, links);
      return links.length < perPage ? null : (links.at(-1)?.id ?? null);
    });
  if (isOn) {
    await watchEach((after) => ownWatched(database.read, after, perPage));
    for (const id of await watchingOrganizations(database.read))
      await watchEach((after) => linksWatchedWith(database.read, id, after, perPage));
  }
  await pass(async (after) => {
    const ids = await watchedLinkIds(database.read, after, perPage);
    const still = isOn ? await stillWatched(database.read, ids) : new Set<number>();
    await unwatchLinks(
      context,
      ids.filter((id) => !still.has(id)),
    );
    return ids.length < perPage ? null : (ids.at(-1) ?? null);
  });
  await pass((after) => database.write((queries) => deleteUnusedUrls(queries, after, perPage)));
  await database.write((queries) => deleteUnusedHosts(queries, now(), now() - robotsKept));
  await database.write((queries) => (isStopped() ? continueSweep(queries, 0) : endSweep(queries, now())));
}
