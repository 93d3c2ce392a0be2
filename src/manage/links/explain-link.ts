import type { Caller } from '../../rules/access.ts';
import { hashSeedOf } from '../../rules/day-hash.ts';
import { existing } from '../../rules/errors.ts';
import { hasLongHost } from '../../rules/host.ts';
import { type Description, describedVisitor } from '../../rules/link-rules/described-visitor.ts';
import { type Outcome, resolve, type Step, withForwarding } from '../../rules/link-rules/resolve.ts';
import { maxParts, suffixOf } from '../../rules/path-suffix.ts';
import { findLink, linkForVisitor } from '../../storage/links/links.ts';
import type { Context } from '../context.ts';
import { aliasUrls } from './link-address.ts';

interface Visit extends Omit<Description, 'hashSeed' | 'search' | 'pathAfterSuffix'> {
  /** The visited address, or the part after the link's: `?utm_source=mail`. */
  readonly url: string;
  readonly at: number;
}

interface Explanation {
  readonly outcome: Outcome;
  /** Null if the visitor isn't redirected. */
  readonly status: number | null;
  readonly steps: readonly Step[];
}

/** Where a visit would be redirected, and why: uses the function that answers visits. Nothing is recorded. */
export async function explainLink(
  { database, config, secrets, site }: Context,
  caller: Caller,
  id: number,
  { url, at, ...described }: Visit,
): Promise<Explanation> {
  const stored = await existing(findLink(database.lookup, caller.organizationId, id), 'link');
  const link = withForwarding(linkForVisitor(stored), config.forwardQuery);
  const own = new URL(site.linkUrl(stored.host, stored.suffix));
  const visited = (hasLongHost(url) ? null : URL.parse(url, own.href)) ?? own;
  const addresses = [own, ...aliasUrls(site, stored).map((alias) => new URL(alias))];
  const suffixes = addresses
    .filter(({ host }) => host === visited.host)
    .map(({ pathname }) => suffixOf(pathname));
  const isRest = url.startsWith('/') && visited.host === own.host && visited.pathname !== '/';
  const visitor = describedVisitor({
    ...described,
    search: visited.search,
    pathAfterSuffix: pathAfter(visited.pathname, new Set(suffixes)) ?? (isRest ? visited.pathname : ''),
    hashSeed: hashSeedOf(secrets.text('visitor-salts')),
  });
  const steps: Step[] = [];
  const outcome = resolve(link, visitor, at, (step) => steps.push(step));
  return { outcome, status: statusOf(outcome, link.options?.redirectStatus ?? null), steps };
}

/**
 * The rest of the visited path after the longest of these suffixes, as for visits; null if it begins with none of them. A trailing
 * slash alone is not forwarded.
 */
function pathAfter(path: string, suffixes: ReadonlySet<string | null>): string | null {
  if (suffixes.has(suffixOf(path))) return '';
  const cuts: number[] = [];
  for (let cut = path.indexOf('/', 1); cut > 0 && cuts.length < maxParts; cut = path.indexOf('/', cut + 1))
    cuts.push(cut);
  const longest = cuts.findLast((cut) => path[cut - 1] !== '/' && suffixes.has(suffixOf(path.slice(0, cut))));
  return longest === undefined ? null : path.slice(longest);
}

/** Redirects before the start and after the end are always 302. */
function statusOf(outcome: Outcome, chosen: number | null): number | null {
  if (outcome.kind === 'redirect') return chosen ?? 302;
  return 'to' in outcome && outcome.to !== null ? 302 : null;
}
