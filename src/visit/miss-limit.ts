import { minuteLength, secondLength } from '../rules/durations.ts';

const slots = 131_072;
const maxProbes = 8;
/** The slots follow a header with the minute that they count. */
const minuteAt = 0;
const headLength = 2;

/**
 * A client that requests many links that don't exist is guessing. Misses are counted by network and minute in memory that the
 * threads of this process share: the hash of a network, and its number of misses. When too many networks have misses at once, a hash
 * without a free slot isn't counted: memory is bounded.
 */
export class MissLimit {
  readonly memory: SharedArrayBuffer;
  readonly #max: number;
  readonly #now: () => number;
  readonly #table: Int32Array;

  constructor(
    max: number,
    now: () => number,
    memory = new SharedArrayBuffer((headLength + 2 * slots) * Int32Array.BYTES_PER_ELEMENT),
  ) {
    this.memory = memory;
    this.#max = max;
    this.#now = now;
    this.#table = new Int32Array(memory);
  }

  /** Counts a miss. Returns the seconds to wait if it was one too many, else 0. */
  count(network: string): number {
    if (this.#max === 0) return 0;
    const minute = this.#minute();
    const before = Atomics.load(this.#table, minuteAt);
    if (before !== minute && Atomics.compareExchange(this.#table, minuteAt, before, minute) === before) {
      this.#table.fill(0, headLength);
    }
    const at = this.#find(hashOf(network), true);
    if (at === 0) return 0;
    const count = Atomics.add(this.#table, at + 1, 1) + 1;
    return count > this.#max ? this.#secondsLeft() : 0;
  }

  /** Whether the network has exceeded its misses of this minute. */
  isExceeded(network: string): boolean {
    if (this.#max === 0 || Atomics.load(this.#table, minuteAt) !== this.#minute()) return false;
    const at = this.#find(hashOf(network), false);
    return at !== 0 && Atomics.load(this.#table, at + 1) > this.#max;
  }

  #secondsLeft(): number {
    return 60 - Math.floor((this.#now() % minuteLength) / secondLength);
  }

  #minute(): number {
    return Math.floor(this.#now() / minuteLength);
  }

  /** The index of a network's slot; takes a free one if `mayTake`. 0 if there is none. */
  #find(hash: number, mayTake: boolean): number {
    for (let probe = 0; probe < maxProbes; probe++) {
      const at = headLength + 2 * ((hash + probe) & (slots - 1));
      const found = mayTake
        ? Atomics.compareExchange(this.#table, at, 0, hash)
        : Atomics.load(this.#table, at);
      if (found === hash) return at;
      if (found === 0) return mayTake ? at : 0;
    }
    return 0;
  }
}

/** Never 0, which marks a free slot. Two networks share a hash too rarely to be exploited. */
const hashOf = (network: string): number => Bun.hash.xxHash32(network) | 0 || 1;
