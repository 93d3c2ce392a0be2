const slots = 131_072;
const maxProbes = 8;
/** What stands before the slots: the minute that they are of. */
const minuteAt = 0;
const headLength = 2;

/**
 * Who asks for many links that don't exist is guessing. Counted by network, by the minute, in memory that this
 * process's threads share: a network's mark, and how often it has missed. When so many networks miss at once that a
 * mark finds no place, it isn't counted: memory has its bound.
 */
export class MissLimit {
  readonly memory: SharedArrayBuffer;
  readonly #most: number;
  readonly #now: () => number;
  readonly #table: Int32Array;

  constructor(
    most: number,
    now: () => number,
    memory = new SharedArrayBuffer((headLength + 2 * slots) * Int32Array.BYTES_PER_ELEMENT),
  ) {
    this.memory = memory;
    this.#most = most;
    this.#now = now;
    this.#table = new Int32Array(memory);
  }

  /** Whether a further miss would be one too many. */
  isOver(network: () => string): boolean {
    if (this.#most === 0 || this.#minute() !== Atomics.load(this.#table, minuteAt)) return false;
    const at = this.#find(markOf(network()));
    return at > 0 && Atomics.load(this.#table, at + 1) >= this.#most;
  }

  /** How long who is over the limit has to wait. */
  secondsLeft(): number {
    return 60 - Math.floor((this.#now() % 60_000) / 1000);
  }

  /** Counts a miss. Seconds to wait when it was one too many, else 0. */
  count(network: () => string): number {
    if (this.#most === 0) return 0;
    const minute = this.#minute();
    const before = Atomics.load(this.#table, minuteAt);
    if (before !== minute && Atomics.compareExchange(this.#table, minuteAt, before, minute) === before) {
      this.#table.fill(0, headLength);
    }
    const at = this.#find(markOf(network()));
    if (at === 0) return 0;
    const count = Atomics.add(this.#table, at + 1, 1) + 1;
    return count > this.#most ? this.secondsLeft() : 0;
  }

  #minute(): number {
    return Math.floor(this.#now() / 60_000);
  }

  /** Where a network is counted, from now on if it wasn't; 0 when there is no place. */
  #find(mark: number): number {
    for (let probe = 0; probe < maxProbes; probe++) {
      const at = headLength + 2 * ((mark + probe) & (slots - 1));
      const found = Atomics.compareExchange(this.#table, at, 0, mark);
      if (found === 0 || found === mark) return at;
    }
    return 0;
  }
}

/** Never 0, which is an empty place. That two networks share one is rarer than that anybody could make use of it. */
const markOf = (network: string): number => Bun.hash.xxHash32(network) | 0 || 1;
