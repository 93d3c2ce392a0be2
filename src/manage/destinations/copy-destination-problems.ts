import {
  type DestinationProblem,
  destinationProblems,
  readProblems,
  watchedDestinations,
  writeProblems,
} from '../../rules/destinations/watched-destinations.ts';
import { formatIso } from '../../rules/instant.ts';
import {
  linksToUrl,
  setProblems,
  setUnmailed,
  stillWatched,
} from '../../storage/destinations/watched-links.ts';
import {
  findWatchedUrl,
  setUrlCopied,
  uncopiedUrls,
  type WatchedUrl,
} from '../../storage/destinations/watched-urls.ts';
import { lockLink } from '../../storage/links/links.ts';
import type { Queries } from '../../storage/schema.ts';
import { enqueueLinkEvent, messageContext } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';

const urlsPerRun = 100;
const linksPerTransaction = 50;

/**
 * Copies the state of destinations to their links: messages to webhooks and administrators follow from that. Any node may do it
 * at any time; links that are up to date are not written.
 */
export async function copyDestinationProblems(context: Context): Promise<void> {
  const { database, webhooks } = context;
  const urls = await uncopiedUrls(database.lookup, urlsPerRun);
  for (const url of urls) {
    for (let after: number | null = 0; after !== null; ) after = await copyToLinks(context, url, after);
    await database.write((queries) => setUrlCopied(queries, url));
  }
  if (urls.length > 0) webhooks.wake();
}

async function copyToLinks(context: Context, { id }: WatchedUrl, after: number): Promise<number | null> {
  const { database } = context;
  const links = await linksToUrl(database.read, id, after, linksPerTransaction);
  await database.write(async (queries) => {
    const url = await findWatchedUrl(queries, id);
    const watchedIds = await stillWatched(
      queries,
      links.map(({ link_id }) => link_id),
    );
    if (!url) return;
    for (const link of links) await copyToLink(context, queries, url, link, watchedIds.has(link.link_id));
  });
  return links.length < linksPerTransaction ? null : (links.at(-1)?.link_id ?? null);
}

async function copyToLink(
  context: Context,
  queries: Queries,
  state: WatchedUrl,
  { link_id: id, organization_id }: { readonly link_id: number; readonly organization_id: number },
  isWatched: boolean,
): Promise<void> {
  const link = await lockLink(queries, organization_id, id);
  if (!link) return;
  const now = context.now();
  const { url } = state;
  const leadsToUrl = isWatched && watchedDestinations(link, now).includes(url);
  const problem = leadsToUrl ? problemOf(state) : null;
  const problems = readProblems(link.destination_problems);
  const before = problems.find((known) => known.url === url);
  const isSameKind = before?.problem === problem?.problem;
  if (isSameKind && before?.detail === problem?.detail) return;
  const others = problems.filter((known) => known !== before);
  await setProblems(queries, id, writeProblems(problem ? [...others, problem] : others));
  // Another address of a moved destination isn't news.
  if (isSameKind) return;
  await setUnmailed(queries, { link_id: id, url_id: state.id }, problem && now);
  const reported = problem ?? (leadsToUrl ? before : undefined);
  if (!reported) return;
  const event = problem ? 'link.destination_failed' : 'link.destination_recovered';
  await enqueueLinkEvent(queries, event, link, messageContext(context, now), {
    destination_problem: { ...reported, since: formatIso(reported.since) },
  });
}

function problemOf({ url, problem, detail, since }: WatchedUrl): DestinationProblem | null {
  const kind = destinationProblems.find((known) => known === problem);
  return kind === undefined ? null : { url, problem: kind, detail: detail ?? '', since: since ?? 0 };
}
