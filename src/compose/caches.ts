import type { ApiKeyCache } from '../auth/api-key-cache.ts';
import type { Config } from '../config/options.ts';
import { trustsProxies } from '../http/client-address.ts';
import { locationOf } from '../rules/destinations/destination-text.ts';
import type { QueryForwarding } from '../rules/destinations/forwarding.ts';
import { type LinkForVisitor, withForwarding } from '../rules/link-rules/resolve.ts';
import type { Site } from '../rules/site.ts';
import {
  changesFrom,
  changesWithin,
  type LinkChange,
  missingChanges,
  newestChange,
  suffixesIn,
} from '../storage/changes.ts';
import type { LinkLookup, Lookups } from '../storage/database.ts';
import { databaseTimeline, noTimeline } from '../storage/database-timeline.ts';
import { findDomainForVisitor } from '../storage/domains.ts';
import { forgetPages } from '../storage/links/newest-links.ts';
import { markedChange } from '../storage/marked-changes.ts';
import type { Queries } from '../storage/schema.ts';
import { ChangeFollower, type LossReason } from '../visit/follow-changes.ts';
import type { HitTrust } from '../visit/hit.ts';
import { Hosts } from '../visit/hosts.ts';
import type { IdRange } from '../visit/id-gaps.ts';
import { type CacheBounds, LinkCache } from '../visit/link-cache.ts';
import { type RedirectParts, Redirects } from '../visit/redirects.ts';
import type { RefusedNames } from '../visit/tls/refused-names.ts';
import type { Change } from './data-plane.ts';
import type { LostChanges } from './lost-changes.ts';
import { RecentLoads } from './recent-loads.ts';
import type { Start } from './start.ts';

/** Caches of the store, so that a visit needs no query. Each thread that answers visits has its own. */
export interface Caches {
  readonly links: LinkCache;
  readonly hosts: Hosts;
  readonly recentLoads: RecentLoads;
  /** What is known of certificates, if they come from the store. */
  readonly certificates?: () => Pick<RefusedNames, 'forget' | 'clear'> | null;
  /** Set where this thread answers calls of the API. */
  readonly apiKeyCache?: Pick<ApiKeyCache, 'forget' | 'clear'>;
}

const pollInterval = 400;

export function cachesOf(
  site: Site,
  { queries, link }: Pick<Lookups, 'queries' | 'link'>,
  now: () => number,
  bounds: CacheBounds,
  forwardQuery: QueryForwarding,
): Caches {
  const loadHost = async (host: string) => {
    const row = await findDomainForVisitor(queries, host);
    if (!row) return null;
    return {
      id: row.id,
      rootUrl: row.root_url && locationOf(row.root_url),
      notFoundUrl: row.not_found_url && locationOf(row.not_found_url),
    };
  };
  const recentLoads = new RecentLoads();
  return {
    links: new LinkCache(recentLoads.ofLinks(withDefaultForwarding(link, forwardQuery)), bounds),
    hosts: new Hosts(site, recentLoads.ofHosts(loadHost), now),
    recentLoads,
  };
}

/** Links without a setting of their own forward queries as the instance does (`FORWARD_QUERY`). */
function withDefaultForwarding(lookup: LinkLookup, forwardQuery: QueryForwarding): LinkLookup {
  if (forwardQuery === 'none') return lookup;
  const applied = (link: LinkForVisitor | null): LinkForVisitor | null =>
    link && withForwarding(link, forwardQuery);
  return (domainId, suffix) => {
    const found = lookup(domainId, suffix);
    return found instanceof Promise ? found.then(applied) : applied(found);
  };
}

/** Decides visits with these caches. */
export const redirectsOf = (
  { links, hosts }: Caches,
  config: Pick<Config, 'trustedProxies' | 'https'>,
  parts: Omit<RedirectParts, 'links' | 'trust' | 'fallbackFor'>,
): Redirects =>
  new Redirects({
    ...parts,
    links,
    trust: trustOf(config),
    fallbackFor: (host, method, path) => hosts.fallbackFor(host, method, path),
  });

export const trustOf = ({ trustedProxies, https }: Pick<Config, 'trustedProxies' | 'https'>): HitTrust => ({
  knowsScheme: trustsProxies(trustedProxies) || https !== 'off',
});

export function forget(caches: Caches, { links, hosts }: Change): void {
  for (const { domainId, suffix } of links) caches.links.forget(domainId, suffix);
  for (const host of hosts) forgetHost(caches, host);
}

function forgetHost({ hosts, certificates }: Caches, host: string): void {
  hosts.forget(host);
  certificates?.()?.forget(host);
}

/**
 * From now on evicts from the caches what other processes change, as the change feed reports it. Returns a function that returns
 * for how many milliseconds the feed has not been read.
 */
export async function followChanges(
  caches: Caches,
  lookup: Queries,
  { config, overrides, log, now, opened }: Start,
  lostChanges: Pick<LostChanges, 'read' | 'wentBack' | 'feedResumed' | 'forget'> | null = null,
): Promise<() => number> {
  const { links, hosts, recentLoads } = caches;
  const feed = {
    // A SQLite file is restored while no process has it open.
    timeline: async () => (config.databaseUrl === null ? noTimeline : databaseTimeline(lookup)),
    newest: () => newestChange(lookup),
    from: (id: number, max: number) => changesFrom(lookup, id, max),
    missing: (after: number) => missingChanges(lookup, after),
    within: (ranges: readonly IdRange[], max: number) => changesWithin(lookup, ranges, max),
  };
  const clear = () => {
    forgetPages(lookup);
    links.clear();
    hosts.clear();
    caches.certificates?.()?.clear();
    caches.apiKeyCache?.clear();
  };
  const evictUnconfirmed = () => {
    const recent = recentLoads.unconfirmed;
    if (recent === null) clear();
    else forget(caches, recent);
    caches.apiKeyCache?.clear();
    forgetPages(lookup);
    lostChanges?.feedResumed();
  };
  const follower = {
    changed: (change: LinkChange) => {
      lostChanges?.read(change);
      const marked = markedChange(change);
      if (marked === null) for (const suffix of suffixesIn(change)) links.forget(change.domain_id, suffix);
      else if (marked.mark === 'user') caches.apiKeyCache?.forget(Number(marked.what));
      else if (marked.mark === 'host') forgetHost(caches, marked.what);
    },
    lost: (reason: LossReason) => {
      log.warn('change feed begins anew', { reason });
      // Changes deleted because of their age are not lost.
      if (reason === 'absence') lostChanges?.forget();
      else lostChanges?.wentBack();
      clear();
    },
    pollBegins: () => recentLoads.pollBegins(),
    pollSucceeded: (wasUnavailable: boolean) => {
      if (wasUnavailable) evictUnconfirmed();
      recentLoads.pollSucceeded();
    },
    failed: (cause: unknown) => log.warn('change feed away', { error: String(cause) }),
  };
  const changes = new ChangeFollower(feed, follower, now);
  await changes.start(overrides.pollInterval ?? pollInterval);
  opened.defer(() => changes.stop());
  return () => changes.lag;
}
