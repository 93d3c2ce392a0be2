const logInterval = 1_000;

interface Terminable {
  /** Closes at once, whatever is under way. */
  terminate(): void;
}

/** Called with a fault, and with the number of faults that were not reported before it. */
export type OnFault = (cause: unknown, leftOut: number) => void;

/**
 * Runs every callback of a connection: bytes, the end of a tick, a promise, a timer, its upstream connection. An exception
 * ends that one connection. Faults are reported at most once a second, because a client may be able to repeat them.
 */
export class Guard {
  readonly #onFault: OnFault;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(onFault: OnFault) {
    this.#onFault = onFault;
  }

  /** Callers pass a shared function and its argument instead of a closure: this runs for every piece of every request. */
  run<C extends Terminable>(connection: C, step: (connection: C) => void): void;
  run<C extends Terminable, A>(connection: C, step: (connection: C, argument: A) => void, argument: A): void;
  run<C extends Terminable, A>(
    connection: C,
    step: (connection: C, argument?: A) => void,
    argument?: A,
  ): void {
    try {
      step(connection, argument);
    } catch (cause) {
      this.fail(connection, cause);
    }
  }

  fail(connection: Terminable, cause: unknown): void {
    this.report(cause);
    try {
      connection.terminate();
    } catch (another) {
      this.report(another);
    }
  }

  report(cause: unknown): void {
    const now = performance.now();
    if (now - this.#reportedAt < logInterval) {
      this.#leftOut += 1;
      return;
    }
    const leftOut = this.#leftOut;
    this.#reportedAt = now;
    this.#leftOut = 0;
    try {
      this.#onFault(cause, leftOut);
    } catch {
      // A failing log must not end the thread.
    }
  }
}
