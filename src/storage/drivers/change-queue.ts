import { StoreAway, TookTooLong } from '../../rules/errors.ts';
import type { WriteItems } from '../database.ts';
import type { Queries } from '../schema.ts';

/** Changes of one kind, which one call of `work` can make. */
interface Change {
  readonly item: unknown;
  readonly work: WriteItems<unknown, unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (cause: unknown) => void;
  /** When the caller stops waiting, by `performance.now()`. */
  readonly until: number;
}

/** Changes that share their statements. */
export interface ChangeGroup {
  readonly changes: readonly Change[];
  /** Makes them, and returns a function that resolves their callers once the transaction has committed. */
  make(queries: Queries): Promise<() => void>;
}

const maxPerBatch = 64;
const minPerBatch = 4;
/** Beyond this, changes are refused: an endless queue only delays the refusal. */
const maxWaiting = 2_000;

/** Makes a batch in one transaction. */
type Commit = (groups: readonly ChangeGroup[]) => Promise<void>;

/**
 * Changes that arrive while the store is busy wait together and are made in one transaction; those of one kind by the same
 * statements. If such a batch fails, its changes are made again one by one, so that each fails only by its own fault.
 */
export class ChangeQueue {
  readonly #commit: Commit;
  readonly #maxRunning: number;
  #waiting: Change[] = [];
  #running = 0;
  #idle = Promise.withResolvers<void>();

  constructor(commit: Commit, maxRunning: number) {
    this.#commit = commit;
    this.#maxRunning = maxRunning;
    this.#idle.resolve();
  }

  add<Item, Outcome>(
    item: Item,
    work: WriteItems<Item, Outcome>,
    until = Number.POSITIVE_INFINITY,
  ): Promise<Outcome> {
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new StoreAway('too many changes are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, work, resolve, reject, until } as Change);
      if (this.#running < this.#maxRunning) void this.#drain();
    });
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Resolves when nothing is under way for a moment: check `isIdle` again then. */
  get whenIdle(): Promise<void> {
    return this.#idle.promise;
  }

  async #drain(): Promise<void> {
    if (this.#running++ === 0) this.#idle = Promise.withResolvers();
    for (let last = 0; this.#waiting.length > 0; ) {
      const batch = this.#nextBatch(last).filter((change) => !isGivenUp(change));
      await this.#make(batch);
      last = batch.length;
    }
    if (--this.#running === 0) this.#idle.resolve();
  }

  /**
   * Half of the clients, counting those just answered, which send their next change at once: the store works on one half while
   * this thread answers and reads the other (1.2 times as many links as with all of them in one batch).
   */
  #nextBatch(last: number): readonly Change[] {
    const half = Math.ceil((last + this.#waiting.length) / 2);
    return this.#waiting.splice(0, Math.min(Math.max(half, minPerBatch), maxPerBatch));
  }

  async #make(batch: readonly Change[]): Promise<void> {
    if (batch.length === 0) return;
    const groups = [...Map.groupBy(batch, ({ work }) => work).values()].map(groupOf);
    try {
      await this.#commit(groups);
    } catch (cause) {
      if (batch.length === 1 || cause instanceof StoreAway) for (const { reject } of batch) reject(cause);
      else for (const change of batch) await this.#make([change]);
    }
  }
}

function isGivenUp({ until, reject }: Change): boolean {
  const isLate = performance.now() >= until;
  if (isLate) reject(new TookTooLong(false));
  return isLate;
}

function groupOf(changes: readonly Change[]): ChangeGroup {
  return {
    changes,
    async make(queries) {
      const items = changes.map(({ item }) => item);
      const outcomes = (await changes[0]?.work(queries, items)) ?? [];
      return () => {
        for (const [index, { resolve }] of changes.entries()) resolve(outcomes[index]);
      };
    },
  };
}
