import { TookTooLong } from '../rules/errors.ts';

/** Concurrent heavy reads of one organization; its others wait. */
const maxUnderWay = 5;

interface Turns {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** The organization that a call reads for, and how long its client waits. */
interface Terms {
  readonly organizationId: number;
  readonly signal: AbortSignal | null;
  /** By `performance.now()`. */
  readonly deadline: number;
}

/**
 * Lets each organization have a few statistics and lists under way. The store's answers to many calls arrive together, and
 * converting them to JSON blocks this thread: so no other organization's call has to wait for all of them.
 */
export class HeavyReads {
  readonly #turns = new Map<number, Turns>();

  /** Runs it in this call's turn, unless its client has disconnected or waited too long by then. */
  async run<T>({ organizationId, signal, deadline }: Terms, read: () => Promise<T>): Promise<T> {
    await this.#take(organizationId);
    try {
      if (signal?.aborted || performance.now() >= deadline) throw new TookTooLong(false);
      return await read();
    } finally {
      this.#release(organizationId);
    }
  }

  async #take(organizationId: number): Promise<void> {
    const turns = this.#turns.get(organizationId);
    if (!turns) this.#turns.set(organizationId, { underWay: 1, waiting: [] });
    else if (turns.underWay < maxUnderWay) turns.underWay += 1;
    else await new Promise<void>((begin) => turns.waiting.push(begin));
  }

  #release(organizationId: number): void {
    const turns = this.#turns.get(organizationId);
    if (!turns) return;
    const next = turns.waiting.shift();
    if (next) next();
    else if (turns.underWay > 1) turns.underWay -= 1;
    else this.#turns.delete(organizationId);
  }
}
