import { Refusal } from '../../rules/errors.ts';
import { tagsOf } from '../../storage/links/link-tags.ts';
import {
  leadsEveryone,
  linksByDestination,
  lockDestinations,
  type RequestedLink,
} from '../../storage/links/links-by-destination.ts';
import type { Queries } from '../../storage/schema.ts';
import type { LinkWithTags, Outcome, PreparedLink, StoringDependencies } from './prepared-link.ts';
import { inParts, type OnPlaced, outcomeOf, storeLinks } from './store-links.ts';

const requestedLinkOf = ({ row, suffix, isChosen }: PreparedLink): RequestedLink => ({
  domain_id: row.domain_id,
  destination_url: row.destination_url,
  suffix: isChosen ? suffix : null,
});

/** The existing links with the same destination as these links of an organization. */
export async function findLinks(
  { now }: Pick<StoringDependencies, 'now'>,
  queries: Queries,
  links: readonly PreparedLink[],
): Promise<ReadonlyMap<PreparedLink, LinkWithTags>> {
  const [first] = links;
  if (!first) return new Map();
  const found = await linksByDestination(
    queries,
    first.row.organization_id,
    links.map(requestedLinkOf),
    now(),
  );
  const ids = found.flatMap((link) => link?.id ?? []);
  const tags = ids.length > 0 ? await tagsOf(queries, ids) : new Map();
  return new Map(
    links.flatMap((prepared, index): [PreparedLink, LinkWithTags][] => {
      const link = found[index];
      return link ? [[prepared, { link, tags: tags.get(link.id) ?? [], isFound: true }]] : [];
    }),
  );
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
): Promise<ReadonlyMap<PreparedLink, Outcome>> {
  const [first] = links;
  if (!first) return new Map();
  await lockDestinations(queries, first.row.organization_id, links.map(requestedLinkOf));
  const results = new Map<PreparedLink, Outcome>(await findLinks(dependencies, queries, links));
  const stored = new Map<string, PreparedLink>();
  const now = dependencies.now();
  const missing = links.filter((link) => !results.has(link));
  const originals = new Map(missing.map((link) => [link, originalOf(link, stored, now)]));
  const parts = inParts([...new Set(originals.values())]);
  const outcomes = await storeLinks(dependencies, queries, parts, onPlaced);
  const refused: PreparedLink[] = [];
  for (const [link, original] of originals) {
    const outcome = outcomeOf(outcomes, original);
    const isOther = original !== link;
    results.set(link, isOther && !(outcome instanceof Refusal) ? { ...outcome, isFound: true } : outcome);
    if (isOther && isWorthRetrying(link, outcome)) refused.push(link);
  }
  if (isSecondTry) return results;
  return new Map([...results, ...(await findOrStore(dependencies, queries, refused, onPlaced, true))]);
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
