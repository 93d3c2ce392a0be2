import type pg from 'pg';
import { type StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import { withTimeout } from '../../structures/with-timeout.ts';
import type { ReadTerms } from '../database.ts';
import type { CheckedOut } from './postgres-reads.ts';

/** Milliseconds for the server to stop a cancelled statement; after that it counts as unavailable. */
const stopTime = 1_000;

/** Statements that end a transaction may be sent after its deadline. */
const endings: ReadonlySet<string> = new Set(['commit', 'rollback']);

/**
 * Connections for one change with a deadline: after that the server cancels the current statement, and the transaction is rolled
 * back. One deadline covers all statements of the call.
 */
export const connectionsUntil =
  (connect: () => Promise<CheckedOut>, { changeDeadline = Number.POSITIVE_INFINITY }: ReadTerms) =>
  async (): Promise<CheckedOut> => {
    const begunAt = performance.now();
    const timeout = Math.max(0, changeDeadline - begunAt);
    const connecting = connect();
    try {
      const connection = await withTimeout(timeout, connecting, () => {
        throw new TimeoutExceeded(false, timeout);
      });
      return new DeadlineConnection(connection, changeDeadline, timeout);
    } catch (cause) {
      connecting.then((unused) => unused.release()).catch(() => {});
      throw cause;
    }
  };

class DeadlineConnection implements CheckedOut {
  readonly #connection: CheckedOut;
  readonly #until: number;
  readonly #timeout: number;
  #isStopped = false;
  #hasRefused = false;
  /** Statements without an answer yet. */
  #running = 0;
  #stopping: Timer | undefined;
  #ending: Timer | undefined;

  constructor(connection: CheckedOut, until: number, timeout: number) {
    [this.#connection, this.#until, this.#timeout] = [connection, until, timeout];
  }

  async query(sql: string, parameters: readonly unknown[], isPrepared?: boolean): Promise<pg.QueryResult> {
    // The refused statement is part of the change: without it nothing is kept.
    if (sql === 'commit' && this.#hasRefused) throw this.#timeoutExceeded();
    if (endings.has(sql)) return this.#connection.query(sql, parameters);
    const left = this.#until - performance.now();
    this.#hasRefused ||= left <= 0;
    if (left <= 0) throw this.#timeoutExceeded();
    if (this.#running++ === 0) this.#watch(left);
    try {
      return await this.#connection.query(sql, parameters, isPrepared);
    } catch (cause) {
      // A connection that we closed reports the server as unavailable; but the server may carry out what it was sent.
      throw cause instanceof TimeoutExceeded || this.#isStopped ? this.#timeoutExceeded() : cause;
    } finally {
      if (--this.#running === 0) this.#unwatch();
    }
  }

  #watch(left: number): void {
    this.#stopping = setTimeout(() => this.cancel(), left);
    this.#ending = setTimeout(() => this.destroy(), left + stopTime);
  }

  #unwatch(): void {
    clearTimeout(this.#stopping);
    clearTimeout(this.#ending);
  }

  cancel(): void {
    this.#isStopped = true;
    this.#connection.cancel();
  }

  destroy(): void {
    this.#connection.destroy();
  }

  release(isBroken = false): void {
    // The cancellation may reach the server only now, and must not stop the next statement.
    this.#connection.release(isBroken || this.#isStopped);
  }

  #timeoutExceeded(): StoreUnavailable {
    return new TimeoutExceeded(true, this.#timeout);
  }
}
