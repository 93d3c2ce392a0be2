/**
 * Visitors who are in storage already, so that it isn't asked for each of their clicks again: in two generations, and
 * at most so many. Who was forgotten is asked for again, and found there.
 */
export class SeenVisitors {
  readonly #most: number;
  #day = 0;
  #young: NumberSet;
  #old: NumberSet;

  constructor(most = 400_000) {
    this.#most = most / 2;
    this.#young = new NumberSet(this.#most);
    this.#old = new NumberSet(this.#most);
  }

  /** False the first time, and whenever it isn't known. Visitors are evenly spread numbers, owners small ones. */
  notes(day: number, owner: number, visitor: number): boolean {
    if (day !== this.#day) {
      this.#day = day;
      this.#young.clear();
      this.#old.clear();
    }
    const key = visitor + owner;
    if (key === 0) return false;
    if (!this.#young.add(key)) return true;
    const isKnown = this.#old.has(key);
    if (this.#young.size >= this.#most) this.#turn();
    return isKnown;
  }

  #turn(): void {
    const emptied = this.#old;
    this.#old = this.#young;
    this.#young = emptied;
    emptied.empty();
  }
}

const half = 2 ** 31;

/** Evenly spread numbers other than zero, in a flat table: a `Set` takes four times the memory and time. */
class NumberSet {
  #slots: Float64Array;
  #size = 0;
  readonly #least: number;

  constructor(most: number) {
    this.#least = Math.min(1 << 12, 1 << Math.ceil(Math.log2(most * 2)));
    this.#slots = new Float64Array(this.#least);
  }

  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    return this.#slots[this.#place(key)] === key;
  }

  /** False when it was there already. */
  add(key: number): boolean {
    const at = this.#place(key);
    if (this.#slots[at] === key) return false;
    this.#slots[at] = key;
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  clear(): void {
    this.#slots = new Float64Array(this.#least);
    this.#size = 0;
  }

  /** For as many again. */
  empty(): void {
    this.#slots.fill(0);
    this.#size = 0;
  }

  #place(key: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    // What a processor makes of a number above 2 to the 31st by itself is no remainder, and asking for one is slow.
    const upper = Math.floor(key / half);
    let at = ((key - upper * half) ^ upper) & mask;
    for (;;) {
      const found = slots[at];
      if (found === key || found === 0) return at;
      at = (at + 1) & mask;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (let from = 0; from < before.length; from++) {
      const key = before[from] ?? 0;
      if (key !== 0) this.#slots[this.#place(key)] = key;
    }
  }
}
