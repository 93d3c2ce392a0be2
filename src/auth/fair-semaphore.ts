import { Refusal } from '../rules/errors.ts';
import { FairQueue } from '../structures/fair-queue.ts';

/** For whom work is done, and whether it comes first. */
export interface Priority {
  /** Each key has its own queue, so that one client delays no other. */
  readonly clientKey: string;
  /** Known and signed-in users come first. */
  readonly isKnown: boolean;
}

const maxRunning = 2;
/** One of this many turns goes to other clients, however many known users wait. */
const othersEvery = 4;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (cause: Refusal) => void;
}

type Queue = FairQueue<Waiting, string>;

/** Runs expensive work a few at a time, fairly between clients. A bounded number may wait; beyond it, calls are refused. */
export class FairSemaphore {
  readonly #maxWaiting: number;
  #running = 0;
  #sinceOthers = 0;
  readonly #known: Queue = new FairQueue(Number.POSITIVE_INFINITY);
  readonly #others: Queue = new FairQueue(Number.POSITIVE_INFINITY);

  /** `maxWaiting` applies to known users and, separately, to all others. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  async run<T>({ clientKey, isKnown }: Priority, work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running += 1;
    else await this.#wait(isKnown ? this.#known : this.#others, clientKey);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  #wait(queue: Queue, clientKey: string): Promise<void> {
    if (queue.size >= this.#maxWaiting) {
      const evicted = queue.removeFromLongest(clientKey);
      if (!evicted) throw busy();
      evicted.refuse(busy());
    }
    return new Promise((begin, refuse) => queue.add(clientKey, { begin, refuse }));
  }

  #next(): Waiting | undefined {
    const isOthersTurn = ++this.#sinceOthers >= othersEvery;
    if (isOthersTurn) this.#sinceOthers = 0;
    for (const queue of isOthersTurn ? [this.#others, this.#known] : [this.#known, this.#others]) {
      const taken = queue.take();
      if (!taken) continue;
      queue.done(taken.key);
      return taken.items[0];
    }
    return undefined;
  }
}

const busy = (): Refusal =>
  new Refusal('BUSY', 'Too many passwords are being checked right now. Try again in a few seconds.', {
    retryAfter: 3,
  });
