import { Refusal } from '../rules/errors.ts';
import { FairQueue } from '../structures/fair-queue.ts';

/** The party that work is done for. */
export interface Turn {
  /** Work of one party waits in a queue of its own, and delays no other party. */
  readonly party: string;
  /** Known and signed-in users come first. */
  readonly isKnown: boolean;
}

const maxRunning = 2;
/** One of this many turns goes to the other parties, however many known users wait. */
const othersEvery = 4;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (cause: Refusal) => void;
}

type Parties = FairQueue<Waiting, string>;

/** Runs expensive work a few at a time, fairly between parties. A bounded number may wait; beyond it, calls are refused. */
export class FairTurns {
  readonly #maxWaiting: number;
  #running = 0;
  #sinceOthers = 0;
  readonly #known: Parties = new FairQueue(Number.POSITIVE_INFINITY);
  readonly #others: Parties = new FairQueue(Number.POSITIVE_INFINITY);

  /** `maxWaiting` applies to known users and, separately, to all others. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  async run<T>({ party, isKnown }: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running += 1;
    else await this.#wait(isKnown ? this.#known : this.#others, party);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  #wait(parties: Parties, party: string): Promise<void> {
    if (parties.size >= this.#maxWaiting) {
      const evicted = parties.removeFromLongest(party);
      if (!evicted) throw busy();
      evicted.refuse(busy());
    }
    return new Promise((begin, refuse) => parties.add(party, { begin, refuse }));
  }

  #next(): Waiting | undefined {
    const isOthersTurn = ++this.#sinceOthers >= othersEvery;
    if (isOthersTurn) this.#sinceOthers = 0;
    for (const parties of isOthersTurn ? [this.#others, this.#known] : [this.#known, this.#others]) {
      const turn = parties.take();
      if (!turn) continue;
      parties.done(turn.key);
      return turn.items[0];
    }
    return undefined;
  }
}

const busy = (): Refusal =>
  new Refusal('BUSY', 'Too many passwords are being checked right now. Try again in a few seconds.', {
    retryAfter: 3,
  });
