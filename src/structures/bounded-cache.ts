import { ownText } from '../rules/text.ts';
import { stringHash } from './string-hash.ts';

const none = -1;
const minSlots = 64;

/**
 * A map of bounded weight that evicts by the clock algorithm, which approximates least recently used: a hand goes round the
 * entries, and each that was used since its last pass is kept for another round. A hit costs one lookup and a mark.
 *
 * It is a hash table whose chains are in typed arrays. A `Map` that loses an entry for each that it gains grows to four times the
 * slots it needs: with 210,000 links in the cache the heap was 68 MB, and is 43 with this.
 */
export class BoundedCache<Value> {
  readonly #maxWeight: number;
  readonly #weigh: (key: string, value: Value) => number;
  readonly #keys: (string | undefined)[] = [];
  readonly #values: (Value | undefined)[] = [];
  /** The hashes of the keys: a key with another hash isn't read, because it usually isn't in the processor's cache. */
  #hashes = new Int32Array(minSlots);
  /** 1 for a slot that was used since the hand last passed. */
  #used = new Uint8Array(minSlots);
  /** The first slot of each chain; a chain has the keys whose hashes share their last bits. There are as many chains as slots. */
  #chains = new Int32Array(minSlots).fill(none);
  /** The next slot, in the chain or in the list of free slots. */
  #next = new Int32Array(minSlots);
  #free = none;
  #size = 0;
  #weight = 0;
  #hand = 0;

  constructor(maxWeight: number, weigh: (key: string, value: Value) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: string): Value | undefined {
    const slot = this.#find(key, stringHash(key));
    if (slot === none) return undefined;
    this.#used[slot] = 1;
    return this.#values[slot];
  }

  /** The entry stays at least until the next one is set, whatever its weight. */
  set(text: string, value: Value): void {
    const key = ownText(text);
    this.delete(key);
    const weight = this.#weigh(key, value);
    while (this.#weight + weight > this.#maxWeight && this.#size > 0) this.evict();
    // A slot that the hand has just left is the last one it returns to.
    const slot = this.#takeSlot();
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#used[slot] = 0;
    this.#hashes[slot] = stringHash(key);
    this.#addToChain(slot);
    this.#weight += weight;
    this.#size++;
  }

  delete(key: string): void {
    const slot = this.#find(key, stringHash(key));
    if (slot === none) return;
    this.#weight -= this.#weigh(key, this.#values[slot] as Value);
    this.#size--;
    this.#takeFromChain(slot);
    this.#keys[slot] = undefined;
    this.#values[slot] = undefined;
    this.#next[slot] = this.#free;
    this.#free = slot;
  }

  clear(): void {
    this.#keys.length = 0;
    this.#values.length = 0;
    this.#resize(minSlots);
    this.#free = none;
    this.#size = 0;
    this.#weight = 0;
    this.#hand = 0;
  }

  get size(): number {
    return this.#size;
  }

  get weight(): number {
    return this.#weight;
  }

  /** Evicts one entry, of one or more. */
  evict(): void {
    for (;;) {
      const slot = this.#hand;
      this.#hand = (slot + 1) % this.#keys.length;
      const key = this.#keys[slot];
      if (key === undefined) continue;
      if (this.#used[slot] === 0) {
        this.delete(key);
        return;
      }
      this.#used[slot] = 0;
    }
  }

  #find(key: string, hash: number): number {
    let slot = this.#chains[hash & (this.#chains.length - 1)] ?? none;
    while (slot !== none && (this.#hashes[slot] !== hash || this.#keys[slot] !== key))
      slot = this.#next[slot] ?? none;
    return slot;
  }

  #chainOf(slot: number): number {
    return (this.#hashes[slot] ?? 0) & (this.#chains.length - 1);
  }

  #addToChain(slot: number): void {
    const chain = this.#chainOf(slot);
    this.#next[slot] = this.#chains[chain] ?? none;
    this.#chains[chain] = slot;
  }

  #takeFromChain(slot: number): void {
    const chain = this.#chainOf(slot);
    const after = this.#next[slot] ?? none;
    let before = this.#chains[chain] ?? none;
    if (before === slot) {
      this.#chains[chain] = after;
      return;
    }
    while (this.#next[before] !== slot) before = this.#next[before] ?? none;
    this.#next[before] = after;
  }

  #takeSlot(): number {
    const slot = this.#free;
    if (slot !== none) {
      this.#free = this.#next[slot] ?? none;
      return slot;
    }
    if (this.#keys.length === this.#used.length) this.#resize(this.#keys.length * 2);
    return this.#keys.length;
  }

  /** Only called when no slot is free: the list of free slots isn't kept. */
  #resize(slots: number): void {
    const [hashes, used] = [this.#hashes, this.#used];
    this.#hashes = new Int32Array(slots);
    this.#used = new Uint8Array(slots);
    this.#next = new Int32Array(slots);
    this.#chains = new Int32Array(slots).fill(none);
    for (let slot = 0; slot < this.#keys.length; slot++) {
      this.#hashes[slot] = hashes[slot] ?? 0;
      this.#used[slot] = used[slot] ?? 0;
      this.#addToChain(slot);
    }
  }
}
