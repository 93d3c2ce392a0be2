import { TookTooLong } from '../../rules/errors.ts';
import type { ReadTerms } from '../database.ts';

/** A task with a deadline, after which its result is no longer awaited. */
export interface Awaited {
  readonly terms: ReadTerms;
  /** As `performance.now()` has it. */
  readonly until: number;
  readonly hasBegun: boolean;
  /** Its time is over, or its caller has gone. */
  giveUp(cause: TookTooLong): void;
}

/** Milliseconds between two looks: a timer for each of many short reads would cost more than most of them. */
const interval = 50;

/** Gives up what has taken too long and what has been abandoned. Looks only while there is something. */
export class Deadlines {
  readonly #awaited = new Set<Awaited>();
  readonly #onLook: (now: number) => void;
  #timer: Timer | undefined;

  constructor(onLook: (now: number) => void = () => {}) {
    this.#onLook = onLook;
  }

  add(awaited: Awaited): void {
    this.#awaited.add(awaited);
    this.#timer ??= setTimeout(() => this.#look(), interval);
  }

  delete(awaited: Awaited): void {
    this.#awaited.delete(awaited);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const awaited of this.#awaited) {
      if (!isOver(awaited, now)) continue;
      this.#awaited.delete(awaited);
      awaited.giveUp(new TookTooLong(awaited.hasBegun));
    }
    this.#onLook(now);
    this.#timer = this.#awaited.size > 0 ? setTimeout(() => this.#look(), interval) : undefined;
  }
}

export const isOver = (
  { terms, until }: Pick<Awaited, 'terms' | 'until'>,
  now = performance.now(),
): boolean => now >= until || terms.signal?.aborted === true;

/** Until when one statement is waited for, that is asked for now. */
export const untilWhen = ({ deadline, patience }: ReadTerms): number =>
  Math.min(deadline, performance.now() + patience);
