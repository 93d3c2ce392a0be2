import { ownText } from '../rules/text.ts';

/**
 * A map of bounded weight that evicts by the clock algorithm, near enough the least recently used: a hand goes round the
 * entries, and each that was used since it last came by gets another round. A hit costs one lookup and a mark.
 */
export class BoundedCache<Value> {
  readonly #slots = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];
  readonly #values: (Value | undefined)[] = [];
  readonly #used: boolean[] = [];
  readonly #free: number[] = [];
  readonly #maxWeight: number;
  readonly #weigh: (key: string, value: Value) => number;
  #weight = 0;
  #hand = 0;

  constructor(maxWeight: number, weigh: (key: string, value: Value) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: string): Value | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    this.#used[slot] = true;
    return this.#values[slot];
  }

  /** The entry stays at least until the next one is set, whatever its weight. */
  set(text: string, value: Value): void {
    const key = ownText(text);
    this.delete(key);
    const weight = this.#weigh(key, value);
    while (this.#weight + weight > this.#maxWeight && this.#slots.size > 0) this.#evictOne();
    // A slot that the hand has just left is the last one it comes back to.
    const slot = this.#free.pop() ?? this.#keys.length;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#used[slot] = false;
    this.#slots.set(key, slot);
    this.#weight += weight;
  }

  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#weight -= this.#weigh(key, this.#values[slot] as Value);
    this.#slots.delete(key);
    this.#keys[slot] = undefined;
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  clear(): void {
    this.#slots.clear();
    for (const list of [this.#keys, this.#values, this.#used, this.#free]) list.length = 0;
    this.#weight = 0;
    this.#hand = 0;
  }

  get size(): number {
    return this.#slots.size;
  }

  #evictOne(): void {
    for (;;) {
      const slot = this.#hand;
      this.#hand = (slot + 1) % this.#keys.length;
      const key = this.#keys[slot];
      if (key === undefined) continue;
      if (this.#used[slot] !== true) {
        this.delete(key);
        return;
      }
      this.#used[slot] = false;
    }
  }
}
