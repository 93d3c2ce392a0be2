import type { Site } from '../rules/site.ts';
import { defaultDomainId } from '../storage/schema.ts';
import { BoundedCache } from '../structures/bounded-cache.ts';
import { SharedLoads } from '../structures/shared-loads.ts';

/** What a visit needs of a custom domain. */
export interface HostDomain {
  readonly id: number;
  readonly rootUrl: string | null;
  readonly notFoundUrl: string | null;
}

interface CachedDomain {
  readonly domain: HostDomain;
  /** Fresh until then; afterwards it is still used while it reloads. */
  readonly until: number;
  /** It has changed: new visits wait for the reload. Visits under way still use its fallback URLs. */
  readonly isOutdated: boolean;
}

const lifetime = 60_000;
const missLifetime = 5_000;
const maxDomains = 100_000;
const maxMisses = 20_000;

/**
 * The domain of each host, if it has one. `forget` invalidates a host; entries also expire, in case a change was missed. Visits
 * to a domain that was loaded before never wait for the database.
 */
export class Hosts {
  readonly #site: Site;
  readonly #query: (host: string) => Promise<HostDomain | null>;
  readonly #now: () => number;
  readonly #domains = new BoundedCache<CachedDomain>(maxDomains);
  /** Unknown hosts, and until when that holds. Clients can make up any number of them. */
  readonly #misses = new BoundedCache<number>(maxMisses);
  readonly #loads = new SharedLoads<HostDomain | null>();

  constructor(site: Site, load: (host: string) => Promise<HostDomain | null>, now: () => number) {
    this.#site = site;
    this.#query = load;
    this.#now = now;
  }

  /** The id of the domain, or null for an unknown host. */
  domainOf(host: string): number | null | Promise<number | null> {
    if (this.#site.isDefaultHost(host)) return defaultDomainId;
    const cached = this.#domains.get(host);
    if (cached && !cached.isOutdated) {
      if (cached.until <= this.#now()) this.#refresh(host, cached.domain);
      return cached.domain.id;
    }
    if ((this.#misses.get(host) ?? 0) > this.#now()) return null;
    const loading = this.#load(host).then((domain) => domain?.id ?? null);
    // A caller may drop this promise: its rejection must not end the process.
    loading.catch(() => {});
    return loading;
  }

  /**
   * Where visits to this host go that match no link; null for the "not found" page. Requests for the API always get that, so that
   * programs see that it isn't on this domain.
   */
  fallbackFor(host: string, method: string, path: string): string | null {
    const domain = this.#domains.get(host)?.domain;
    if (!domain || (method !== 'GET' && method !== 'HEAD')) return null;
    if (path === '/') return domain.rootUrl;
    return path === '/api' || path.startsWith('/api/') ? null : domain.notFoundUrl;
  }

  forget(host: string): void {
    this.#loads.outdate(host);
    const cached = this.#domains.get(host);
    if (cached) this.#domains.set(host, { ...cached, isOutdated: true });
    this.#misses.delete(host);
  }

  /** Everything is reloaded when it is next needed. */
  clear(): void {
    this.#loads.outdateAll();
    this.#domains.clear();
    this.#misses.clear();
  }

  /** While the database is down the domain stays as it was, and isn't reloaded at every visit. */
  #refresh(host: string, domain: HostDomain): void {
    this.#domains.set(host, { domain, until: this.#now() + missLifetime, isOutdated: false });
    this.#load(host).catch(() => {});
  }

  #load(host: string): Promise<HostDomain | null> {
    const running = this.#loads.get(host);
    if (running !== undefined) return running;
    return this.#loads.add(host, this.#query(host), (domain, isOutdated) => {
      if (isOutdated) this.#keepOutdated(host, domain);
      else this.#keep(host, domain);
    });
  }

  #keep(host: string, domain: HostDomain | null): void {
    if (domain) {
      this.#domains.set(host, { domain, until: this.#now() + lifetime, isOutdated: false });
      return;
    }
    this.#domains.delete(host);
    this.#misses.set(host, this.#now() + missLifetime);
  }

  /** Serves requests that were waiting when the change arrived; later requests load it again. */
  #keepOutdated(host: string, domain: HostDomain | null): void {
    if (domain === null || this.#domains.get(host)?.isOutdated === false) return;
    this.#domains.set(host, { domain, until: 0, isOutdated: true });
  }
}
