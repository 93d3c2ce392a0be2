const logInterval = 1_000;

export interface Terminable {
  /** Closed at once, whatever is under way. */
  terminate(): void;
}

/** Told of a fault, and of how many were left out before it. */
export type OnFault = (cause: unknown, leftOut: number) => void;

/**
 * Every way into a connection leads through here: bytes that arrive, a turn's end, a promise, a timer, the server behind.
 * A throw costs that one connection. Faults are reported at most once a second, as a stranger may be able to repeat them.
 */
export class Guard {
  readonly #onFault: OnFault;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(onFault: OnFault) {
    this.#onFault = onFault;
  }

  /** Steps are functions that exist once, not closures: this is called for every piece of every request. */
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
      // A log that can't be written must not end the thread.
    }
  }
}
