import { TookTooLong } from '../../rules/errors.ts';
import type { ReadTerms } from '../database.ts';

/** A task with a deadline, after which nothing awaits its result. */
export interface Awaited {
  readonly terms: ReadTerms;
  /** By `performance.now()`. */
  readonly until: number;
  readonly hasBegun: boolean;
  /** Its time is over, or its caller has gone. */
  giveUp(cause: TookTooLong): void;
}

/** Milliseconds between two checks: a timer for each of many short reads would cost more than most of them. */
const interval = 50;

/** Gives up tasks that take too long or whose caller has gone. Its timer runs only while there are tasks. */
export class Deadlines {
  readonly #awaited = new Set<Awaited>();
  readonly #onCheck: (now: number) => void;
  #timer: Timer | undefined;

  constructor(onCheck: (now: number) => void = () => {}) {
    this.#onCheck = onCheck;
  }

  add(awaited: Awaited): void {
    this.#awaited.add(awaited);
    this.#timer ??= setTimeout(() => this.#check(), interval);
  }

  delete(awaited: Awaited): void {
    this.#awaited.delete(awaited);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const awaited of this.#awaited) {
      if (!isOver(awaited, now)) continue;
      this.#awaited.delete(awaited);
      awaited.giveUp(new TookTooLong(awaited.hasBegun, awaited.terms.timeout));
    }
    this.#onCheck(now);
    this.#timer = this.#awaited.size > 0 ? setTimeout(() => this.#check(), interval) : undefined;
  }
}

const isOver = ({ terms, until }: Pick<Awaited, 'terms' | 'until'>, now = performance.now()): boolean =>
  now >= until || terms.signal?.aborted === true;

/** When a statement that is sent now is given up. */
export const untilWhen = ({ deadline, timeout }: ReadTerms): number =>
  Math.min(deadline, performance.now() + timeout);
