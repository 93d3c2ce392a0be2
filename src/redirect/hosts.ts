import type { Site } from '../rules/site.ts';
import { defaultDomainId } from '../storage/schema.ts';
import { Generations } from './generations.ts';

const lifetime = 60_000;
const missLifetime = 5_000;

/** Which domain a host stands for, if any. Custom domains are few and asked for often. */
export class Hosts {
  readonly #site: Site;
  readonly #load: (host: string) => Promise<number | null>;
  readonly #now: () => number;
  readonly #known = new Generations<{ readonly id: number | null; readonly until: number }>(20_000);

  constructor(site: Site, load: (host: string) => Promise<number | null>, now: () => number) {
    this.#site = site;
    this.#load = load;
    this.#now = now;
  }

  /** The id of the domain, or null for a host that is none of ours. */
  domainOf(host: string): number | null | Promise<number | null> {
    if (this.#site.isDefaultHost(host)) return defaultDomainId;
    const known = this.#known.get(host);
    return known && known.until > this.#now() ? known.id : this.#ask(host, known?.id);
  }

  async #ask(host: string, before: number | null | undefined): Promise<number | null> {
    try {
      const id = await this.#load(host);
      this.#known.set(host, { id, until: this.#now() + (id === null ? missLifetime : lifetime) });
      return id;
    } catch (cause) {
      if (before === undefined || before === null) throw cause;
      // The database is away: a domain we knew goes on as it was, and its visitors don't each wait for the database.
      this.#known.set(host, { id: before, until: this.#now() + missLifetime });
      return before;
    }
  }
}
