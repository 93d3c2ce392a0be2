import type { Site } from '../rules/site.ts';
import { type WaysOut, wayOut } from '../rules/way-out.ts';
import { defaultDomainId } from '../storage/schema.ts';
import { BoundedCache } from '../structures/bounded-cache.ts';

/** A custom domain, as far as visitors meet it. */
export interface HostDomain extends WaysOut {
  readonly id: number;
}

interface Known {
  readonly domain: HostDomain;
  /** Until then it is taken as it is; after that it goes on while it is asked for again. */
  readonly until: number;
  /** It has changed: whoever comes waits for what it is now. Who came before still finds their way out by it. */
  readonly isOutdated: boolean;
}

interface Flight {
  readonly promise: Promise<HostDomain | null>;
  /** The host came to stand for something else while it was being read. */
  overtaken: boolean;
}

const lifetime = 60_000;
const missLifetime = 5_000;
const maxDomains = 100_000;
const maxMisses = 20_000;

/**
 * Which domain a host stands for, if any. Changes are told by `forget`; the lifetimes are for what could be missed.
 * A visitor of a domain that was asked for before never waits for the database.
 */
export class Hosts {
  readonly #site: Site;
  readonly #load: (host: string) => Promise<HostDomain | null>;
  readonly #now: () => number;
  readonly #known = new BoundedCache<Known>(maxDomains);
  /** Hosts that are none of ours, and until when that is taken as it is. Anybody can make any number of them up. */
  readonly #misses = new BoundedCache<number>(maxMisses);
  readonly #flights = new Map<string, Flight>();

  constructor(site: Site, load: (host: string) => Promise<HostDomain | null>, now: () => number) {
    this.#site = site;
    this.#load = load;
    this.#now = now;
  }

  /** The id of the domain, or null for a host that is none of ours. */
  domainOf(host: string): number | null | Promise<number | null> {
    if (this.#site.isDefaultHost(host)) return defaultDomainId;
    const known = this.#known.get(host);
    if (known && !known.isOutdated) {
      if (known.until <= this.#now()) this.#refresh(host, known.domain);
      return known.domain.id;
    }
    if ((this.#misses.get(host) ?? 0) > this.#now()) return null;
    const asked = this.#ask(host).then((domain) => domain?.id ?? null);
    // Who only wanted to know whether it is known lets go of the answer: its failure must not end the process.
    asked.catch(() => {});
    return asked;
  }

  /** Where this host sends a request that is for none of its links. */
  wayOut(host: string, method: string, path: string): string | null {
    const domain = this.#known.get(host)?.domain;
    return domain ? wayOut(domain, method, path) : null;
  }

  forget(host: string): void {
    const flying = this.#flights.get(host);
    if (flying) flying.overtaken = true;
    const known = this.#known.get(host);
    if (known) this.#known.set(host, { ...known, isOutdated: true });
    this.#misses.delete(host);
  }

  /** Everything is asked for anew. */
  clear(): void {
    for (const flight of this.#flights.values()) flight.overtaken = true;
    this.#known.clear();
    this.#misses.clear();
  }

  /** While the database is away a domain goes on as it was, and isn't asked for at every visit. */
  #refresh(host: string, domain: HostDomain): void {
    this.#known.set(host, { domain, until: this.#now() + missLifetime, isOutdated: false });
    this.#ask(host).catch(() => {});
  }

  #ask(host: string): Promise<HostDomain | null> {
    const flying = this.#flights.get(host);
    if (flying && !flying.overtaken) return flying.promise;
    const flight: Flight = { promise: this.#load(host), overtaken: false };
    this.#flights.set(host, flight);
    const landed = () => {
      if (this.#flights.get(host) === flight) this.#flights.delete(host);
    };
    flight.promise.then((domain) => {
      landed();
      if (flight.overtaken) this.#takeOutdated(host, domain);
      else this.#take(host, domain);
    }, landed);
    return flight.promise;
  }

  #take(host: string, domain: HostDomain | null): void {
    if (domain) {
      this.#known.set(host, { domain, until: this.#now() + lifetime, isOutdated: false });
      return;
    }
    this.#known.delete(host);
    this.#misses.set(host, this.#now() + missLifetime);
  }

  /** Good for who asked before the change was told, and for nobody after. */
  #takeOutdated(host: string, domain: HostDomain | null): void {
    if (domain === null || this.#known.get(host)?.isOutdated === false) return;
    this.#known.set(host, { domain, until: 0, isOutdated: true });
  }
}
