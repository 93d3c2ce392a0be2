import { StoreUnavailable } from '../../rules/errors.ts';
import type { LookupItems } from '../database.ts';
import type { Queries } from '../schema.ts';

interface Lookup {
  readonly item: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

type Work = LookupItems<unknown, unknown>;

/** Concurrent statements: while the server works on one, the next lookups are collected, and the results of another are read. */
const maxRunning = 2;
const maxPerStatement = 64;
const maxWaiting = 2_000;

/**
 * Batches lookups by key: those that arrive while others are running share a statement. A single one doesn't wait.
 */
export class LookupBatcher {
  readonly #queries: Queries;
  readonly #kinds = new Map<Work, { running: number; waiting: Lookup[] }>();

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  lookup<Item, Answer>(item: Item, work: LookupItems<Item, Answer>): Promise<Answer> {
    const kind = this.#kindOf(work as Work);
    if (kind.waiting.length >= maxWaiting)
      return Promise.reject(new StoreUnavailable('too many queries are waiting'));
    return new Promise((resolve, reject) => {
      kind.waiting.push({ item, resolve, reject } as Lookup);
      if (kind.running < maxRunning) void this.#drain(work as Work);
    });
  }

  #kindOf(work: Work) {
    return this.#kinds.getOrInsertComputed(work, () => ({ running: 0, waiting: [] }));
  }

  async #drain(work: Work): Promise<void> {
    const kind = this.#kindOf(work);
    kind.running += 1;
    while (kind.waiting.length > 0) {
      const batch = kind.waiting.splice(0, maxPerStatement);
      try {
        const answers = await work(
          this.#queries,
          batch.map(({ item }) => item),
        );
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    kind.running -= 1;
  }
}
