import type { LinkForVisitor } from '../rules/resolve.ts';
import { Generations } from './generations.ts';
import { SecondChances } from './second-chances.ts';

export interface CacheBounds {
  readonly bytes: number;
  /** How many addresses are remembered as leading nowhere. */
  readonly misses: number;
}

interface Flight {
  readonly promise: Promise<LinkForVisitor | null>;
  /** The link changed while it was being read: the answer is good for who asked before, and for nobody after. */
  overtaken: boolean;
}

type Load = (domainId: number, suffix: string) => Promise<LinkForVisitor | null>;

/** Links by domain and suffix, and which of them don't exist. Many who ask for one at once make one query. */
export class LinkCache {
  readonly #links: SecondChances<LinkForVisitor>;
  readonly #misses: Generations<true>;
  readonly #flights = new Map<string, Flight>();
  readonly #load: Load;

  constructor(load: Load, bounds: CacheBounds) {
    this.#load = load;
    this.#links = new SecondChances(bounds.bytes, weight);
    this.#misses = new Generations(bounds.misses);
  }

  /** What is known right now: the link, null when there is none, undefined when that has to be asked. */
  peek(domainId: number, suffix: string): LinkForVisitor | null | undefined {
    const key = keyOf(domainId, suffix);
    return this.#links.get(key) ?? (this.#misses.get(key) ? null : undefined);
  }

  fetch(domainId: number, suffix: string): Promise<LinkForVisitor | null> {
    const key = keyOf(domainId, suffix);
    const flying = this.#flights.get(key);
    if (flying && !flying.overtaken) return flying.promise;
    const flight: Flight = { promise: this.#load(domainId, suffix), overtaken: false };
    this.#flights.set(key, flight);
    const landed = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    flight.promise.then((link) => {
      landed();
      if (flight.overtaken) return;
      if (link) this.#links.set(key, link);
      else this.#misses.set(key, true);
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

  clear(): void {
    for (const flight of this.#flights.values()) flight.overtaken = true;
    this.#links.clear();
    this.#misses.clear();
  }
}

/** A line break is in no suffix, so no two places share a key. */
const keyOf = (domainId: number, suffix: string): string =>
  domainId === 0 ? suffix : `${domainId}\n${suffix}`;

/** About what an entry takes in memory: the object, the map's slot, and its texts. */
function weight(key: string, link: LinkForVisitor): number {
  const texts = [
    link.destinationUrl,
    link.androidUrl,
    link.iosUrl,
    link.ogTitle,
    link.ogDescription,
    link.ogImage,
    link.passwordHash,
  ];
  return 330 + key.length + texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
