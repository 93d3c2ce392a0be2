const free = -1;
const leastSlots = 1 << 6;
const half = 2 ** 31;

/**
 * Instants by whole numbers that are not negative and spread evenly, in a flat table that is used again: a `Map` is
 * three times as large, is copied again and again while it grows, and has to be walked through by the collector.
 */
export class Instants {
  #slots = new Float64Array(leastSlots * 2).fill(free);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): number | undefined {
    const slots = this.#slots;
    const at = codeIn(slots, key);
    return slots[at] === key ? slots[at + 1] : undefined;
  }

  set(key: number, instant: number): void {
    const slots = this.#slots;
    const at = codeIn(slots, key);
    const isNew = slots[at] !== key;
    slots[at] = key;
    slots[at + 1] = instant;
    if (isNew && ++this.#size * 4 > slots.length) this.#grow();
  }

  /** Empty again. Memory that was needed once, for far more than now, is given back. */
  clear(): void {
    if (this.#slots.length > leastSlots * 2 && this.#size * 32 < this.#slots.length)
      this.#slots = new Float64Array(leastSlots * 2);
    this.#slots.fill(free);
    this.#size = 0;
  }

  #grow(): void {
    const before = this.#slots;
    const slots = new Float64Array(before.length * 2).fill(free);
    for (let from = 0; from < before.length; from += 2) {
      const key = before[from] ?? free;
      if (key === free) continue;
      const at = codeIn(slots, key);
      slots[at] = key;
      slots[at + 1] = before[from + 1] ?? 0;
    }
    this.#slots = slots;
  }
}

/** Where the key is, or where it would be; its instant is behind it. */
function codeIn(slots: Float64Array, key: number): number {
  const mask = slots.length - 1;
  // What a processor makes of a number above 2 to the 31st by itself is no remainder, and asking for one is slow.
  const upper = Math.floor(key / half);
  const mixed = Math.imul(upper, 0x85ebca6b) ^ Math.imul(key - upper * half, 0x9e3779b1);
  let at = ((mixed ^ (mixed >>> 15)) << 1) & mask;
  for (;;) {
    const found = slots[at];
    if (found === key || found === free) return at;
    at = (at + 2) & mask;
  }
}
