import { Refusal } from '../rules/errors.ts';
import { tagsOf } from '../storage/link-tags.ts';
import {
  leadsEveryone,
  linksByDestination,
  lockDestinations,
  type RequestedLink,
} from '../storage/links-by-destination.ts';
import type { Queries } from '../storage/schema.ts';
import type { LinkWithTags, Outcome, PreparedLink, StoringDependencies } from './prepared-link.ts';
import { inParts, type OnPlaced, outcomeOf, storeLinks } from './store-links.ts';

const requestedLinkOf = ({ row, suffix, isChosen }: PreparedLink): RequestedLink => ({
  domain_id: row.domain_id,
  destination_url: row.destination_url,
  suffix: isChosen ? suffix : null,
});

/** For each of an organization's links, an existing one with the same destination, or null. */
export async function findLinks(
  { now }: Pick<StoringDependencies, 'now'>,
  queries: Queries,
  links: readonly PreparedLink[],
): Promise<(LinkWithTags | null)[]> {
  const [first] = links;
  if (!first) return [];
  const found = await linksByDestination(
    queries,
    first.row.organization_id,
    links.map(requestedLinkOf),
    now(),
  );
  const ids = found.flatMap((link) => link?.id ?? []);
  const tags = ids.length > 0 ? await tagsOf(queries, ids) : new Map();
  return found.map((link) => link && { link, tags: tags.get(link.id) ?? [], isFound: true });
}

/**
 * Stores those of an organization's links whose destination none of its links has yet. Of several with the same destination the
 * first is stored, and the others find it; if it is refused they are retried without it.
 */
export async function findOrStore(
  dependencies: StoringDependencies,
  queries: Queries,
  links: readonly PreparedLink[],
  onPlaced?: OnPlaced,
  isSecondTry = false,
): Promise<readonly Outcome[]> {
  const [first] = links;
  if (!first) return [];
  await lockDestinations(queries, first.row.organization_id, links.map(requestedLinkOf));
  const found = await findLinks(dependencies, queries, links);
  const stored = new Map<string, PreparedLink>();
  const now = dependencies.now();
  const originals = links.map((link, index) => (found[index] ? null : originalOf(link, stored, now)));
  const parts = inParts([...new Set(originals)].filter((link) => link !== null));
  const outcomes = await storeLinks(
    dependencies,
    queries,
    parts.map((part) => Promise.resolve(part)),
    onPlaced,
  );
  const results = links.map((link, index): Outcome => {
    const original = originals[index];
    if (!original) return found[index] as LinkWithTags;
    const outcome = outcomeOf(outcomes, original);
    return original === link || outcome instanceof Refusal ? outcome : { ...outcome, isFound: true };
  });
  if (isSecondTry) return results;
  const refused = links.filter(
    (link, index) => originals[index] !== link && isWorthRetrying(link, results[index] as Outcome),
  );
  const second = await findOrStore(dependencies, queries, refused, onPlaced, true);
  const retried = new Map(refused.map((link, index) => [link, second[index]]));
  return results.map((result, index) => retried.get(links[index] as PreparedLink) ?? result);
}

/** Whether the reason for refusing the previous link may not apply to this one. A suffix that is taken is taken for both. */
const isWorthRetrying = (link: PreparedLink, outcome: Outcome): boolean =>
  outcome instanceof Refusal && !(link.isChosen && outcome.code === 'SUFFIX_TAKEN');

/** An earlier link that leads everyone to the same destination, or this one itself. */
function originalOf(link: PreparedLink, stored: Map<string, PreparedLink>, now: number): PreparedLink {
  const { domain_id, destination_url, suffix } = requestedLinkOf(link);
  const keyFor = (chosen: string | null) => JSON.stringify([domain_id, destination_url, chosen]);
  const original = stored.get(keyFor(suffix)) ?? link;
  if (!leadsEveryone(original.row, now)) return original;
  for (const key of [keyFor(suffix), keyFor(null)]) if (!stored.has(key)) stored.set(key, original);
  return original;
}
