import type { LinkLookup } from '../storage/database.ts';
import type { Change } from './data-plane.ts';

/** Many times more than are loaded between two polls; fewer than fill the caches. */
const maxKept = 50_000;

/**
 * What was loaded into the caches since the change feed was last read. It may include changes that were not read from the feed: if
 * a restore takes them back, nothing in the feed shows that.
 */
export class RecentLoads {
  readonly #max: number;
  /** Loaded since the last poll that succeeded, and before the current one began. */
  #beforePoll = new Loads();
  #sincePoll = new Loads();

  constructor(max = maxKept) {
    this.#max = max;
  }

  /** A link that is found without waiting is in SQLite's file, which doesn't go back in time under a running process. */
  ofLinks(lookup: LinkLookup): LinkLookup {
    return (domainId, suffix) => {
      const found = lookup(domainId, suffix);
      if (!(found instanceof Promise)) return found;
      return found.then((link) => {
        if (this.#hasRoom()) this.#sincePoll.links.push({ domainId, suffix });
        return link;
      });
    };
  }

  ofHosts<Found>(lookup: (host: string) => Promise<Found>): (host: string) => Promise<Found> {
    return async (host) => {
      const found = await lookup(host);
      if (this.#hasRoom()) this.#sincePoll.hosts.push(host);
      return found;
    };
  }

  #hasRoom(): boolean {
    if (this.#beforePoll.count + this.#sincePoll.count < this.#max) return true;
    this.#sincePoll.hasOverflowed = true;
    return false;
  }

  pollBegins(): void {
    this.#beforePoll.add(this.#sincePoll);
    this.#sincePoll = new Loads();
  }

  /** All changes that were committed before the poll began have been read. */
  pollSucceeded(): void {
    this.#beforePoll = new Loads();
  }

  /** What is not known to be up to date; null if there is too much of it to list. */
  get unconfirmed(): Change | null {
    const [before, since] = [this.#beforePoll, this.#sincePoll];
    if (before.hasOverflowed || since.hasOverflowed) return null;
    return { links: [...before.links, ...since.links], hosts: [...before.hosts, ...since.hosts] };
  }
}

class Loads {
  readonly links: Change['links'][number][] = [];
  readonly hosts: string[] = [];
  hasOverflowed = false;

  get count(): number {
    return this.links.length + this.hosts.length;
  }

  add({ links, hosts, hasOverflowed }: Loads): void {
    for (const link of links) this.links.push(link);
    for (const host of hosts) this.hosts.push(host);
    this.hasOverflowed ||= hasOverflowed;
  }
}
