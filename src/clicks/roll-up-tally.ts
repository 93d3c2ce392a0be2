/**
 * Counts by three whole numbers, in one flat table that is used again for every batch: a map of objects took most of
 * the fold's time.
 */
export class RollUpTally {
  #slots: Int32Array;
  #used: Int32Array;
  #size = 0;

  constructor(capacity = 1 << 16) {
    this.#slots = new Int32Array(capacity * 4);
    this.#used = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  add(owner: number, kind: number, value: number, count = 1): void {
    const at = this.#place(owner, kind, value);
    const slots = this.#slots;
    const before = slots[at + 3] ?? 0;
    slots[at + 3] = before + count;
    if (before > 0) return;
    slots[at] = owner;
    slots[at + 1] = kind;
    slots[at + 2] = value;
    this.#used[this.#size++] = at;
    if (this.#size << 3 > slots.length) this.#grow();
  }

  count(owner: number, kind: number, value: number): number {
    return this.#slots[this.#place(owner, kind, value) + 3] ?? 0;
  }

  /** Where these three are counted, or may be. */
  #place(owner: number, kind: number, value: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hash = Math.imul(owner, 0x9e3779b1) ^ Math.imul(kind, 0x85ebca6b) ^ Math.imul(value, 0xc2b2ae35);
    hash ^= hash >>> 15;
    let at = (hash << 2) & mask;
    while (
      slots[at + 3] !== 0 &&
      (slots[at] !== owner || slots[at + 1] !== kind || slots[at + 2] !== value)
    ) {
      at = (at + 4) & mask;
    }
    return at;
  }

  each(visit: (owner: number, kind: number, value: number, count: number) => void): void {
    const slots = this.#slots;
    for (let index = 0; index < this.#size; index++) {
      const at = this.#used[index] ?? 0;
      visit(slots[at] ?? 0, slots[at + 1] ?? 0, slots[at + 2] ?? 0, slots[at + 3] ?? 0);
    }
  }

  clear(): void {
    for (let index = 0; index < this.#size; index++) this.#slots[(this.#used[index] ?? 0) + 3] = 0;
    this.#size = 0;
  }

  #grow(): void {
    const larger = new RollUpTally(this.#used.length * 2);
    this.each((owner, kind, value, count) => larger.add(owner, kind, value, count));
    this.#slots = larger.#slots;
    this.#used = larger.#used;
  }
}
