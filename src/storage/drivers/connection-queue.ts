import type pg from 'pg';

/** Milliseconds after which a waiting query opens another connection. */
const growthInterval = 20;

/**
 * Hands out a pool's connections in the order of the calls. The pool alone would open a connection for each call of a burst, even
 * if those before it take a millisecond: ten for the jobs of a start, where three to five are enough.
 */
export class ConnectionQueue {
  readonly #pool: pg.Pool;
  readonly #interval: number;
  readonly #waiting: ((connection: Promise<pg.PoolClient>) => void)[] = [];
  #growth: Timer | undefined;

  constructor(pool: pg.Pool, interval = growthInterval) {
    [this.#pool, this.#interval] = [pool, interval];
    // The connection is idle only after the event.
    pool.on('release', () => this.#waiting.length > 0 && process.nextTick(() => this.#serveIdle()));
  }

  take(): Promise<pg.PoolClient> {
    const { totalCount } = this.#pool;
    if (this.#waiting.length === 0 && (totalCount === 0 || this.#hasIdle || this.#isFull))
      return this.#connect();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#growth ??= setTimeout(() => this.#grow(), this.#interval);
    });
  }

  get #hasIdle(): boolean {
    return this.#pool.idleCount > this.#pool.waitingCount;
  }

  get #isFull(): boolean {
    return this.#pool.totalCount >= this.#pool.options.max;
  }

  #serveIdle(): void {
    while (this.#waiting.length > 0 && this.#hasIdle) this.#serveNext();
  }

  #grow(): void {
    this.#growth = undefined;
    this.#serveNext();
    // The pool has a queue of its own, with a time limit.
    if (this.#isFull) this.#serveAll();
    if (this.#waiting.length > 0) this.#growth = setTimeout(() => this.#grow(), this.#interval);
  }

  #serveNext(): void {
    this.#waiting.shift()?.(this.#connect());
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#growth);
    this.#growth = undefined;
  }

  #serveAll(): void {
    while (this.#waiting.length > 0) this.#serveNext();
  }

  #connect(): Promise<pg.PoolClient> {
    const connection = this.#pool.connect();
    // If the server can't be reached, the calls behind this one get the same error without waiting longer.
    connection.catch(() => this.#serveAll());
    return connection;
  }
}
