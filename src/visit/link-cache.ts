import type { LinkForVisitor } from '../rules/link-rules/resolve.ts';
import { anyForwarding } from '../rules/suffix.ts';
import { BoundedCache } from '../structures/bounded-cache.ts';
import { SharedLoads } from '../structures/shared-loads.ts';
import { PlainLinks } from './plain-links.ts';

export interface CacheBounds {
  readonly bytes: number;
  /** How many addresses without a link are remembered; fewer if they are long. */
  readonly misses: number;
}

/** The alias's link, by its own address. */
interface Alias {
  readonly domainId: number;
  readonly suffix: string;
  readonly linkId: number;
}

type Loaded = LinkForVisitor | null;
type Load = (domainId: number, suffix: string) => Loaded | Promise<Loaded>;

/**
 * Links by domain and suffix, and addresses without one. For an alias the cache keeps the address of its link, so that the change
 * feed names links by their own address only, as versions without aliases do. Concurrent requests for the same link share one
 * query; a query that is answered synchronously makes no request wait.
 */
export class LinkCache {
  readonly #plain: PlainLinks;
  /** The other links. */
  readonly #links: BoundedCache<LinkForVisitor>;
  readonly #misses: BoundedCache<true>;
  readonly #aliases: BoundedCache<Alias>;
  readonly #loads = new SharedLoads<Loaded>();
  readonly #load: Load;
  readonly #maxBytes: number;

  constructor(load: Load, bounds: CacheBounds) {
    this.#load = load;
    this.#maxBytes = bounds.bytes;
    this.#plain = new PlainLinks(bounds.bytes);
    this.#links = new BoundedCache(bounds.bytes, weight);
    this.#misses = new BoundedCache(bounds.misses * usualKey, weightOfKey);
    this.#aliases = new BoundedCache(bounds.misses * usualKey, weightOfKey);
  }

  /** The cached link, null when there is none, undefined when it has to be loaded. */
  peek(domainId: number, suffix: string): LinkForVisitor | null | undefined {
    const key = keyOf(domainId, suffix);
    return this.#get(key) ?? (this.#misses.get(key) ? null : this.#peekAlias(key, suffix));
  }

  #get(key: string): LinkForVisitor | undefined {
    return this.#plain.get(key) ?? this.#links.get(key);
  }

  #peekAlias(key: string, suffix: string): LinkForVisitor | undefined {
    const alias = this.#aliases.get(key);
    const link = alias && this.#get(keyOf(alias.domainId, alias.suffix));
    return link && link.id === alias?.linkId ? { ...link, alias: suffix } : undefined;
  }

  fetch(domainId: number, suffix: string): Loaded | Promise<Loaded> {
    const key = keyOf(domainId, suffix);
    const alias = this.#aliases.get(key);
    return alias ? this.#fetchAlias(domainId, suffix, alias) : this.#fetchLink(key, domainId, suffix);
  }

  /**
   * Loads the link by its own address, under which every change is announced. If another link has that address by now, the alias
   * is looked up in the store again.
   */
  #fetchAlias(domainId: number, suffix: string, alias: Alias): Loaded | Promise<Loaded> {
    const key = keyOf(domainId, suffix);
    const checked = (link: Loaded): Loaded | Promise<Loaded> => {
      if (link?.id === alias.linkId) return { ...link, alias: suffix };
      this.#aliases.delete(key);
      return this.#fetchLink(key, domainId, suffix);
    };
    const ownKey = keyOf(alias.domainId, alias.suffix);
    const known = this.#get(ownKey) ?? this.#fetchLink(ownKey, alias.domainId, alias.suffix);
    return known instanceof Promise ? known.then(checked) : checked(known);
  }

  #fetchLink(key: string, domainId: number, suffix: string): Loaded | Promise<Loaded> {
    const running = this.#loads.get(key);
    if (running !== undefined) return running;
    const loaded = this.#query(domainId, suffix);
    if (!(loaded instanceof Promise)) return this.#keep(key, loaded);
    return this.#loads.add(key, loaded, (link, isOutdated) => {
      if (!isOutdated) this.#keep(key, link);
    });
  }

  /** A link has changed. Also reloads whether its domain has links that forward longer paths. */
  forget(domainId: number, suffix: string): void {
    this.#forgetKey(keyOf(domainId, suffix));
    this.#forgetKey(keyOf(domainId, anyForwarding));
  }

  #forgetKey(key: string): void {
    this.#loads.outdate(key);
    this.#plain.delete(key);
    this.#links.delete(key);
    this.#misses.delete(key);
    this.#aliases.delete(key);
  }

  #query(domainId: number, suffix: string): Loaded | Promise<Loaded> {
    try {
      return this.#load(domainId, suffix);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  #keep(key: string, link: Loaded): Loaded {
    if (!link) this.#misses.set(key, true);
    else if (link.ownAddress) this.#aliases.set(key, { ...link.ownAddress, linkId: link.id });
    else this.#keepLink(key, link);
    return link;
  }

  #keepLink(key: string, link: LinkForVisitor): void {
    this.#links.delete(key);
    // Plain links and others may each have half of the memory, and what the others leave. The new one is not to be evicted at once.
    while (this.#plain.bytes + this.#links.weight > this.#maxBytes) {
      if (this.#plain.bytes > this.#maxBytes / 2) this.#plain.evict();
      else this.#links.evict();
    }
    if (!this.#plain.set(key, link)) this.#links.set(key, link);
  }

  clear(): void {
    this.#loads.outdateAll();
    this.#plain.clear();
    this.#links.clear();
    this.#misses.clear();
    this.#aliases.clear();
  }
}

/** A line break is in no suffix, so no two addresses share a key. */
const keyOf = (domainId: number, suffix: string): string =>
  domainId === 0 ? suffix : `${domainId}\n${suffix}`;

/** A key of up to this many bytes counts as one entry; a longer one counts for more. */
const usualKey = 64;
/** Visitors choose the addresses that are remembered as missing: 255 emoji take a kilobyte. */
const weightOfKey = (key: string): number => Math.max(usualKey, 2 * key.length);

/** Bytes of the link, its slot in the cache, and the headers of two strings. */
const linkWeight = 155;
const optionsWeight = 200;
/** Bytes for each character of the text that rules were parsed from. */
const ruleWeight = 4;
const stringHead = 40;

/** Roughly the memory that an entry takes. */
function weight(key: string, { destinationUrl, options }: LinkForVisitor): number {
  let sum = linkWeight + key.length + destinationUrl.length;
  if (options === null) return sum;
  sum += optionsWeight;
  for (const value of Object.values(options)) if (typeof value === 'string') sum += stringHead + value.length;
  return sum + ruleWeight * (options.rules?.length ?? 0);
}
