import { Refusal, StoreAway } from '../rules/errors.ts';
import type { Database } from '../storage/database.ts';
import { insertAtOnce } from '../storage/insert-at-once.ts';
import type { LinkStore, LinkWithTags, PreparedLink, StoringMeans } from './prepared-link.ts';
import { completed, madeFrom, outcomeOf, storeLinks } from './store-links.ts';

interface Waiting {
  readonly link: PreparedLink;
  readonly resolve: (made: LinkWithTags) => void;
  readonly reject: (cause: unknown) => void;
}

const maxPerBatch = 64;
const minPerBatch = 4;
/** Beyond this, creations are refused: an endless queue only delays the refusal. */
const maxWaiting = 2_000;
/** Batches in progress at once. SQLite has one writer: a second batch would only wait for it. */
const maxConcurrent: Record<Database['kind'], number> = { sqlite: 1, postgres: 2 };

/**
 * Stores single creations in batches: those that arrive while the store is busy share a transaction and its statements.
 * Each has its own outcome. The writer's groups can't replace it, as they share a commit and not the statements: one
 * statement of each kind a link instead of one a batch cost 17 % more CPU a link on SQLite and 27 % on PostgreSQL (16
 * connections).
 */
export class CreationBatcher implements LinkStore {
  readonly #means: StoringMeans;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(means: StoringMeans) {
    this.#means = means;
  }

  store(link: PreparedLink): Promise<LinkWithTags> {
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new StoreAway('too many creations are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ link, resolve, reject });
      if (this.#running < maxConcurrent[this.#means.database.kind]) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running++;
    for (let last = 0; this.#waiting.length > 0; ) {
      const batch = this.#nextBatch(last);
      await this.#storeBatch(batch);
      last = batch.length;
    }
    this.#running--;
  }

  /**
   * Half of the clients, counting those just answered, which send their next creation at once: the store works on one
   * half while this thread answers and reads the other (1.2 times as many links as with all of them in one batch).
   */
  #nextBatch(last: number): readonly Waiting[] {
    const half = Math.ceil((last + this.#waiting.length) / 2);
    return this.#waiting.splice(0, Math.min(Math.max(half, minPerBatch), maxPerBatch));
  }

  async #storeBatch(batch: readonly Waiting[]): Promise<void> {
    const left = await this.#storeInOneMessage(batch);
    if (left.length > 0) await this.#storeInSteps(left);
  }

  /**
   * Stores the links that need only a free suffix in one message to the database, where it has such a way: every further
   * message would wait until this thread has time for its answer. Returns the rest.
   */
  async #storeInOneMessage(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { database, now } = this.#means;
    const plain = batch.filter(({ link }) => link.tagIds.length === 0);
    if (database.writeWhole === null || plain.length === 0) return batch;
    const rows = plain.map(({ link }) => completed(link, link.suffix, null));
    const stored = new Set<Waiting>();
    try {
      const inserted = await insertAtOnce(database, database.writeWhole, rows, now());
      for (const [index, one] of plain.entries()) {
        const [row, place] = [rows[index], inserted[index]];
        if (!row || !place) continue;
        one.resolve(madeFrom(one.link, row, place));
        stored.add(one);
      }
    } catch (cause) {
      // Any other fault is found again in steps, where it concerns one link alone.
      if (!(cause instanceof StoreAway)) return batch;
      for (const { reject } of batch) reject(cause);
      return [];
    }
    return batch.filter((one) => !stored.has(one));
  }

  async #storeInSteps(batch: readonly Waiting[]): Promise<void> {
    try {
      const links = batch.map(({ link }) => link);
      const outcomes = await this.#means.database.write((queries) =>
        storeLinks(this.#means, queries, [Promise.resolve(links)]),
      );
      for (const { link, resolve, reject } of batch) {
        const outcome = outcomeOf(outcomes, link);
        if (outcome instanceof Refusal) reject(outcome);
        else resolve(outcome);
      }
    } catch (cause) {
      // Alone, each link fails only by its own fault.
      if (batch.length === 1 || cause instanceof StoreAway) for (const { reject } of batch) reject(cause);
      else for (const one of batch) await this.#storeInSteps([one]);
    }
  }
}
