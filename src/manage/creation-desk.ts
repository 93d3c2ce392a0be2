import { Refusal, StoreAway } from '../rules/errors.ts';
import type { Database } from '../storage/database.ts';
import type { LinkWithTags } from './create-link.ts';
import { storeAtOnce } from './store-at-once.ts';
import { outcomeOf, type PreparedLink, type StoringMeans, storeLinks } from './store-links.ts';

interface Waiting {
  readonly link: PreparedLink;
  readonly resolve: (made: LinkWithTags) => void;
  readonly reject: (cause: unknown) => void;
}

/** How many creations share a transaction and its statements. */
const maxTogether = 64;
/** So few are not worth a second one. */
const fewest = 4;
/** More than this and whoever asks is told to come back: a queue without end helps nobody. */
const maxWaiting = 2_000;
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
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new StoreAway('too many creations are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ link, resolve, reject });
      if (this.#turns < turnsAtOnce[this.#means.database.kind]) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#turns++;
    for (let last = 0; this.#waiting.length > 0; ) {
      const some = this.#share(last);
      await this.#together(some);
      last = some.length;
    }
    this.#turns--;
  }

  /**
   * Half of those that are about, who was just served being back in a moment: while the store has these, this thread answers
   * and reads the others. With all of them in one turn, either of the two always waits for the other.
   */
  #share(last: number): readonly Waiting[] {
    const half = Math.ceil((last + this.#waiting.length) / 2);
    return this.#waiting.splice(0, Math.min(Math.max(half, fewest), maxTogether));
  }

  async #together(some: readonly Waiting[]): Promise<void> {
    const left = await this.#inOneMessage(some);
    if (left.length > 0) await this.#stepByStep(left);
  }

  /** Returns those that this was not the way for. */
  async #inOneMessage(some: readonly Waiting[]): Promise<readonly Waiting[]> {
    try {
      const made = await storeAtOnce(
        this.#means,
        some.map(({ link }) => link),
      );
      return some.filter(({ link, resolve }) => {
        const one = made.get(link);
        if (one) resolve(one);
        return one === undefined;
      });
    } catch (cause) {
      // Whose fault it is shows step by step.
      if (!(cause instanceof StoreAway)) return some;
      for (const { reject } of some) reject(cause);
      return [];
    }
  }

  async #stepByStep(some: readonly Waiting[]): Promise<void> {
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
      else for (const one of some) await this.#stepByStep([one]);
    }
  }
}
