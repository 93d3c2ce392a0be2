import { TookTooLong } from '../rules/errors.ts';

/** Heavy reads of one organization that are answered at a time; the rest of them wait. */
const maxUnderWay = 5;

interface Turns {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** For whom a call reads, and until when its client waits. */
interface Terms {
  readonly organizationId: number;
  readonly signal: AbortSignal | null;
  /** As `performance.now()` has it. */
  readonly deadline: number;
}

/**
 * Lets each organization have a few statistics and lists under way. The store's answers to many calls come in together, and
 * turning them into JSON holds this thread: so no other organization's call waits for all of them.
 */
export class HeavyReads {
  readonly #turns = new Map<number, Turns>();

  /** Runs it when it is this call's turn, unless its client has gone or waited too long by then. */
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
