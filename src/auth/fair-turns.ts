import { Refusal } from '../rules/errors.ts';

/** The party that work is done for. */
export interface Turn {
  /** Work of one party waits in a queue of its own, and delays no other party. */
  readonly party: string;
  /** Known and signed-in users come first. */
  readonly isKnown: boolean;
}

const maxRunning = 2;
/** One turn in so many goes to the others, however many known users wait. */
const othersEvery = 4;

/** Runs expensive work a few at a time, fairly between parties. A bounded number may wait; beyond it, calls are refused. */
export class FairTurns {
  #running = 0;
  #sinceOthers = 0;
  readonly #known: WaitingParties;
  readonly #others: WaitingParties;

  /** `maxWaiting` applies to known users and, separately, to all others. */
  constructor(maxWaiting: number) {
    this.#known = new WaitingParties(maxWaiting);
    this.#others = new WaitingParties(maxWaiting);
  }

  async run<T>({ party, isKnown }: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running += 1;
    else await (isKnown ? this.#known : this.#others).wait(party);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #next(): (() => void) | undefined {
    const isOthersTurn = ++this.#sinceOthers >= othersEvery;
    const [first, second] = isOthersTurn ? [this.#others, this.#known] : [this.#known, this.#others];
    if (isOthersTurn) this.#sinceOthers = 0;
    return first.take() ?? second.take();
  }
}

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: (cause: Refusal) => void;
}

/** Waiting work by party; parties take turns. */
class WaitingParties {
  /** In the order of their turns. */
  readonly #parties = new Map<string, Waiting[]>();
  readonly #maxWaiting: number;
  #size = 0;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  wait(party: string): Promise<void> {
    const own = this.#parties.get(party) ?? [];
    if (this.#size >= this.#maxWaiting && !this.#makeRoomFor(own.length)) throw busy();
    return new Promise((begin, giveUp) => {
      this.#parties.set(party, own);
      own.push({ begin, giveUp });
      this.#size += 1;
    });
  }

  take(): (() => void) | undefined {
    const [first] = this.#parties;
    if (first === undefined) return undefined;
    const [party, waiting] = first;
    const next = waiting.shift();
    this.#parties.delete(party);
    if (waiting.length > 0) this.#parties.set(party, waiting);
    this.#size -= 1;
    return next?.begin;
  }

  /** The party with the most waiting work gives up its last item for a party with less. */
  #makeRoomFor(size: number): boolean {
    let [largest, name]: [Waiting[], string] = [[], ''];
    for (const [party, waiting] of this.#parties)
      if (waiting.length > largest.length) [largest, name] = [waiting, party];
    if (largest.length <= size + 1) return false;
    largest.pop()?.giveUp(busy());
    if (largest.length === 0) this.#parties.delete(name);
    this.#size -= 1;
    return true;
  }
}

const busy = (): Refusal =>
  new Refusal('BUSY', 'Too many passwords are being checked right now. Try again in a few seconds.', {
    retryAfter: 3,
  });
