import { TimeoutExceeded } from '../../rules/errors.ts';
import type { ReadTerms } from '../database.ts';

/** A task with a deadline, after which nothing awaits its result. */
export interface DeadlineTask {
  readonly terms: ReadTerms;
  /** By `performance.now()`. */
  readonly until: number;
  readonly hasBegun: boolean;
  /** Called when its deadline has passed, or its caller no longer waits. */
  giveUp(cause: TimeoutExceeded): void;
}

/** Milliseconds between two checks: a timer for each of many short reads would cost more than most of them. */
const interval = 50;

/** Gives up tasks that take too long or whose caller no longer waits. Its timer runs only while there are tasks. */
export class Deadlines {
  readonly #tasks = new Set<DeadlineTask>();
  readonly #onCheck: (now: number) => void;
  #timer: Timer | undefined;

  constructor(onCheck: (now: number) => void = () => {}) {
    this.#onCheck = onCheck;
  }

  add(task: DeadlineTask): void {
    this.#tasks.add(task);
    this.#timer ??= setTimeout(() => this.#check(), interval);
  }

  delete(task: DeadlineTask): void {
    this.#tasks.delete(task);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const task of this.#tasks) {
      if (now < task.until && task.terms.signal?.aborted !== true) continue;
      this.#tasks.delete(task);
      task.giveUp(new TimeoutExceeded(task.hasBegun, task.terms.timeout));
    }
    this.#onCheck(now);
    this.#timer = this.#tasks.size > 0 ? setTimeout(() => this.#check(), interval) : undefined;
  }
}

/** The deadline of a statement that is sent now. */
export const deadlineFor = ({ deadline, timeout }: ReadTerms): number =>
  Math.min(deadline, performance.now() + timeout);
