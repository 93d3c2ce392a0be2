import { StoreUnavailable } from '../../rules/errors.ts';

/** How far the clock of a node may be ahead: within that, hits keep their time. */
const clockGrace = 60_000;
const readInterval = 60_000;

/** The latest plausible time of a hit: a hit with an instant after `latest` gets the instant `now`. */
export interface TimeBound {
  readonly latest: number;
  readonly now: number;
}

interface Reading {
  readonly server: number;
  /** By the monotonic clock. */
  readonly at: number;
}

/**
 * The database's time, read once a minute and continued by a monotonic clock. Where the database has no clock of its own, this is
 * the clock of the process.
 */
export class ServerClock {
  readonly #readServerTime: () => Promise<number | null>;
  readonly #ownClock: () => number;
  readonly #onAhead: (milliseconds: number) => void;
  #reading: Reading | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `onAhead` is called when this node's clock is found to be ahead. */
  constructor(
    readServerTime: () => Promise<number | null>,
    ownClock: () => number,
    onAhead: (milliseconds: number) => void = () => {},
  ) {
    this.#readServerTime = readServerTime;
    this.#ownClock = ownClock;
    this.#onAhead = onAhead;
  }

  /**
   * Must be called before the time is used. Fails with StoreUnavailable until the database's time was read once: timestamps that
   * other nodes rely on are set and deleted by it, and this node's clock may be years off.
   */
  async read(): Promise<void> {
    if (performance.now() - this.#readAt < readInterval) return;
    try {
      const server = await this.#readServerTime();
      this.#readAt = performance.now();
      if (server === null) return;
      this.#reading = { server, at: this.#readAt };
      const ahead = this.#ownClock() - server;
      if (ahead > clockGrace) this.#onAhead(ahead);
    } catch (cause) {
      if (!(cause instanceof StoreUnavailable) || this.#reading === null) throw cause;
    }
  }

  get now(): number {
    return this.server ?? this.#ownClock();
  }

  /** Null where the database has no clock of its own. */
  get server(): number | null {
    if (this.#reading === null) return null;
    return Math.floor(this.#reading.server + performance.now() - this.#reading.at);
  }

  get bound(): TimeBound {
    const { now } = this;
    return { latest: now + clockGrace, now };
  }
}
