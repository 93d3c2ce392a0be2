import { Refusal, StoreAway } from '../rules/errors.ts';
import type { Database } from '../storage/database.ts';
import type { LinkWithTags } from './create-link.ts';
import { outcomeOf, type PreparedLink, type StoringMeans, storeLinks } from './store-links.ts';

interface Waiting {
  readonly link: PreparedLink;
  readonly resolve: (made: LinkWithTags) => void;
  readonly reject: (cause: unknown) => void;
}

/** How many creations share a transaction and its statements. */
const mostTogether = 64;
/** More than this and whoever asks is told to come back: a queue without end helps nobody. */
const mostWaiting = 2_000;
/** How many transactions may be under way. SQLite has one writer: there a second would only wait. */
const turnsAtOnce: Record<Database['kind'], number> = { sqlite: 1, postgres: 2 };

/**
 * Where single creations meet: those that come while the store is busy go into it together, in as many statements as
 * one would take. Each has its own outcome.
 */
export class CreationDesk {
  readonly #means: StoringMeans;
  #waiting: Waiting[] = [];
  #turns = 0;

  constructor(means: StoringMeans) {
    this.#means = means;
  }

  store(link: PreparedLink): Promise<LinkWithTags> {
    if (this.#waiting.length >= mostWaiting)
      return Promise.reject(new StoreAway('too many creations are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ link, resolve, reject });
      if (this.#turns < turnsAtOnce[this.#means.database.kind]) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#turns++;
    while (this.#waiting.length > 0) await this.#together(this.#waiting.splice(0, mostTogether));
    this.#turns--;
  }

  async #together(some: readonly Waiting[]): Promise<void> {
    try {
      const links = some.map(({ link }) => link);
      const outcomes = await this.#means.database.write((queries) =>
        storeLinks(this.#means, queries, [Promise.resolve(links)]),
      );
      for (const { link, resolve, reject } of some) {
        const outcome = outcomeOf(outcomes, link);
        if (outcome instanceof Refusal) reject(outcome);
        else resolve(outcome);
      }
    } catch (cause) {
      // Whoever brought the fault along has it alone.
      if (some.length === 1 || cause instanceof StoreAway) for (const { reject } of some) reject(cause);
      else for (const one of some) await this.#together([one]);
    }
  }
}
