import { StoreAway } from '../rules/errors.ts';

/** How far the clock of a node may be ahead: hits are kept as they are within that. */
export const clockGrace = 60_000;
const readInterval = 60_000;

/** The latest that a hit can have happened: one from later than `latest` has the instant `now`. */
export interface TimeBound {
  readonly latest: number;
  readonly now: number;
}

interface Reading {
  readonly server: number;
  /** By the clock that never jumps. */
  readonly at: number;
}

/**
 * The database's time, read once a minute and told in between by a clock that doesn't jump. Where the database has no clock
 * of its own, this is the clock of the process.
 */
export class ServerClock {
  readonly #ask: () => Promise<number | null>;
  readonly #own: () => number;
  readonly #onAhead: (milliseconds: number) => void;
  #reading: Reading | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `onAhead` is called when the own clock is found ahead. */
  constructor(ask: () => Promise<number | null>, own: () => number, onAhead: (milliseconds: number) => void) {
    this.#ask = ask;
    this.#own = own;
    this.#onAhead = onAhead;
  }

  /**
   * Must be called before the time is asked for. Fails with StoreAway as long as the database's time was never read: what other
   * nodes rely on is stamped and deleted by it, and the clock of this one may be years off.
   */
  async read(): Promise<void> {
    if (performance.now() - this.#readAt < readInterval) return;
    try {
      const server = await this.#ask();
      this.#readAt = performance.now();
      if (server === null) return;
      this.#reading = { server, at: this.#readAt };
      const ahead = this.#own() - server;
      if (ahead > clockGrace) this.#onAhead(ahead);
    } catch (cause) {
      if (!(cause instanceof StoreAway) || this.#reading === null) throw cause;
    }
  }

  get now(): number {
    if (this.#reading === null) return this.#own();
    return Math.floor(this.#reading.server + performance.now() - this.#reading.at);
  }

  get bound(): TimeBound {
    const { now } = this;
    return { latest: now + clockGrace, now };
  }
}
