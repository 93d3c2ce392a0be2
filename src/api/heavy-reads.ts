import type { termsOf } from '../manage/reading.ts';
import { TimeoutExceeded } from '../rules/errors.ts';
import { FairQueue } from '../structures/fair-queue.ts';

/** Concurrent heavy reads of one organization; further ones wait. */
const maxUnderWay = 5;

/** The organization that a call reads for, and how long its client waits. */
type Terms = Pick<ReturnType<typeof termsOf>, 'organizationId' | 'signal' | 'deadline'>;

/**
 * Limits the statistics and lists that each organization has under way. The store's answers to many calls arrive together, and
 * converting them to JSON blocks this thread: the limit keeps other organizations' calls from waiting for all of them.
 */
export class HeavyReads {
  readonly #queue = new FairQueue<() => void>(maxUnderWay);

  /** Runs `read` when it is this call's turn, unless its client has disconnected or waited too long by then. */
  async run<T>({ organizationId, signal, deadline }: Terms, read: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#queue.add(organizationId, begin);
      this.#dispatch();
    });
    try {
      if (signal?.aborted || performance.now() >= deadline) throw new TimeoutExceeded(false);
      return await read();
    } finally {
      this.#queue.done(organizationId);
      this.#dispatch();
    }
  }

  #dispatch(): void {
    for (let turn = this.#queue.take(); turn; turn = this.#queue.take()) turn.items[0]?.();
  }
}
