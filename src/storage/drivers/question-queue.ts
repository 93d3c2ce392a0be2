import { StoreAway } from '../../rules/errors.ts';
import type { AskItems } from '../database.ts';
import type { Queries } from '../schema.ts';

interface Question {
  readonly item: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

type Work = AskItems<unknown, unknown>;

/** Concurrent statements: while the server works on one, the next questions gather, and the answers of another are read. */
const maxRunning = 2;
const maxPerStatement = 64;
const maxWaiting = 2_000;

/**
 * Lookups by key that share their statements: those that arrive while others are under way are asked together. A single one
 * doesn't wait.
 */
export class QuestionQueue {
  readonly #queries: Queries;
  readonly #kinds = new Map<Work, { running: number; waiting: Question[] }>();

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  ask<Item, Answer>(item: Item, work: AskItems<Item, Answer>): Promise<Answer> {
    const kind = this.#kindOf(work as Work);
    if (kind.waiting.length >= maxWaiting)
      return Promise.reject(new StoreAway('too many queries are waiting'));
    return new Promise((resolve, reject) => {
      kind.waiting.push({ item, resolve, reject } as Question);
      if (kind.running < maxRunning) void this.#drain(work as Work);
    });
  }

  #kindOf(work: Work) {
    const known = this.#kinds.get(work);
    if (known) return known;
    const kind = { running: 0, waiting: [] };
    this.#kinds.set(work, kind);
    return kind;
  }

  async #drain(work: Work): Promise<void> {
    const kind = this.#kindOf(work);
    kind.running += 1;
    while (kind.waiting.length > 0) {
      const together = kind.waiting.splice(0, maxPerStatement);
      try {
        const answers = await work(
          this.#queries,
          together.map(({ item }) => item),
        );
        for (const [index, { resolve }] of together.entries()) resolve(answers[index]);
      } catch (cause) {
        for (const { reject } of together) reject(cause);
      }
    }
    kind.running -= 1;
  }
}
