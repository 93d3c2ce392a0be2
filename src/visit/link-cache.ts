import type { LinkForVisitor } from '../rules/resolve.ts';
import { BoundedCache } from '../structures/bounded-cache.ts';

export interface CacheBounds {
  readonly bytes: number;
  /** How many addresses are remembered as leading nowhere. */
  readonly misses: number;
}

interface Flight {
  readonly promise: Promise<Loaded>;
  /** The link changed while it was being read: the answer is good for who asked before, and for nobody after. */
  overtaken: boolean;
}

type Loaded = LinkForVisitor | null;
type Load = (domainId: number, suffix: string) => Loaded | Promise<Loaded>;

/**
 * Links by domain and suffix, and which of them don't exist. Many who ask for one at once make one query; where that is
 * answered at once, nobody waits.
 */
export class LinkCache {
  readonly #links: BoundedCache<LinkForVisitor>;
  readonly #misses: BoundedCache<true>;
  readonly #flights = new Map<string, Flight>();
  readonly #load: Load;

  constructor(load: Load, bounds: CacheBounds) {
    this.#load = load;
    this.#links = new BoundedCache(bounds.bytes, weight);
    this.#misses = new BoundedCache(bounds.misses);
  }

  /** What is known right now: the link, null when there is none, undefined when that has to be asked. */
  peek(domainId: number, suffix: string): LinkForVisitor | null | undefined {
    const key = keyOf(domainId, suffix);
    return this.#links.get(key) ?? (this.#misses.get(key) ? null : undefined);
  }

  fetch(domainId: number, suffix: string): Loaded | Promise<Loaded> {
    const key = keyOf(domainId, suffix);
    const flying = this.#flights.get(key);
    if (flying && !flying.overtaken) return flying.promise;
    const loaded = this.#ask(domainId, suffix);
    if (!(loaded instanceof Promise)) return this.#keep(key, loaded);
    const flight: Flight = { promise: loaded, overtaken: false };
    this.#flights.set(key, flight);
    const landed = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    flight.promise.then((link) => {
      landed();
      if (!flight.overtaken) this.#keep(key, link);
    }, landed);
    return flight.promise;
  }

  forget(domainId: number, suffix: string): void {
    const key = keyOf(domainId, suffix);
    const flying = this.#flights.get(key);
    if (flying) flying.overtaken = true;
    this.#links.delete(key);
    this.#misses.delete(key);
  }

  #ask(domainId: number, suffix: string): Loaded | Promise<Loaded> {
    try {
      return this.#load(domainId, suffix);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  #keep(key: string, link: Loaded): Loaded {
    if (link) this.#links.set(key, link);
    else this.#misses.set(key, true);
    return link;
  }

  clear(): void {
    for (const flight of this.#flights.values()) flight.overtaken = true;
    this.#links.clear();
    this.#misses.clear();
  }
}

/** A line break is in no suffix, so no two places share a key. */
const keyOf = (domainId: number, suffix: string): string =>
  domainId === 0 ? suffix : `${domainId}\n${suffix}`;

/** The link's object and its slot in the cache. */
const objectWeight = 330;

/** About what an entry takes in memory. */
const weight = (key: string, link: LinkForVisitor): number =>
  objectWeight +
  key.length +
  link.destinationUrl.length +
  (link.androidUrl?.length ?? 0) +
  (link.iosUrl?.length ?? 0) +
  (link.ogTitle?.length ?? 0) +
  (link.ogDescription?.length ?? 0) +
  (link.ogImage?.length ?? 0) +
  (link.passwordHash?.length ?? 0);
