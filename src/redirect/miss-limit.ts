/** Who asks for many links that don't exist is guessing. Counted by network, in this node's memory, by the minute. */
export class MissLimit {
  readonly #most: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #minute = 0;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Whether a further miss would be one too many. */
  isOver(network: () => string): boolean {
    if (this.#most === 0 || Math.floor(this.#now() / 60_000) !== this.#minute) return false;
    return (this.#counts.get(network()) ?? 0) >= this.#most;
  }

  /** Counts a miss. Seconds to wait when it was one too many, else 0. */
  count(network: () => string): number {
    if (this.#most === 0) return 0;
    const now = this.#now();
    const minute = Math.floor(now / 60_000);
    // Many networks at once are counted afresh rather than kept without bound.
    if (minute !== this.#minute || this.#counts.size > 100_000) {
      this.#counts = new Map();
      this.#minute = minute;
    }
    const who = network();
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    return count > this.#most ? Math.ceil(((minute + 1) * 60_000 - now) / 1000) : 0;
  }
}
