const free = -1;
const leastSlots = 1 << 10;
const half = 2 ** 31;

/**
 * The place of each of many whole numbers from 0 on, in a flat table that is used again: a `Map` takes several times the
 * memory, and each look at it is a walk through that.
 */
export class IntTable {
  #keys = new Float64Array(leastSlots).fill(free);
  #places = new Int32Array(leastSlots);
  #size = 0;

  /** -1 when it has none. */
  placeOf(key: number): number {
    const slot = this.#slotOf(key);
    return this.#keys[slot] === key ? (this.#places[slot] ?? -1) : -1;
  }

  /** For a number that has no place yet. */
  add(key: number, place: number): void {
    const slot = this.#slotOf(key);
    this.#keys[slot] = key;
    this.#places[slot] = place;
    if (++this.#size * 2 > this.#keys.length) this.#resize(this.#keys.length * 2);
  }

  /** Memory that was needed once, for far more than now, is given back. */
  clear(): void {
    if (this.#keys.length > leastSlots && this.#size * 32 < this.#keys.length) {
      this.#keys = new Float64Array(leastSlots);
      this.#places = new Int32Array(leastSlots);
    }
    this.#keys.fill(free);
    this.#size = 0;
  }

  #slotOf(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    // A remainder of 2 to the 32nd would be asked for by a call.
    const upper = Math.floor(key / half);
    const hash = Math.imul(key - upper * half, 0x9e3779b1) ^ Math.imul(upper, 0x85ebca6b);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const found = keys[slot];
      if (found === key || found === free) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #resize(slots: number): void {
    const keys = this.#keys;
    const places = this.#places;
    this.#keys = new Float64Array(slots).fill(free);
    this.#places = new Int32Array(slots);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] ?? free;
      if (key === free) continue;
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#places[slot] = places[at] ?? 0;
    }
  }
}
