const free = 0;
const partBits = 6;
const parts = 1 << partBits;
const minSlots = 64;

/**
 * A set of evenly distributed integers from 0 on: 8 bytes per slot, of which between three eighths and three quarters are in use.
 * It has many parts, each of which grows separately, so that growing never needs twice its memory.
 */
export class NumberSet {
  #parts = emptyParts();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    const part = this.#partOf(number);
    return part.slots[part.slotOf(number + 1)] !== free;
  }

  /** Returns whether it is new. */
  add(number: number): boolean {
    const isNew = this.#partOf(number).add(number + 1);
    if (isNew) this.#size += 1;
    return isNew;
  }

  forEach(each: (number: number) => void): void {
    for (const { slots } of this.#parts) for (const number of slots) if (number !== free) each(number - 1);
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#parts = emptyParts();
    this.#size = 0;
  }

  #partOf(number: number): Part {
    return this.#parts[number & (parts - 1)] as Part;
  }
}

const emptyParts = (): Part[] => Array.from({ length: parts }, () => new Part());

/** Open addressing with linear probing; its numbers are one higher than those of the set. */
class Part {
  slots = new Float64Array(minSlots);
  #size = 0;

  slotOf(number: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = ((number | 0) >>> partBits) & mask;
    for (;;) {
      const found = slots[slot];
      if (found === number || found === free) return slot;
      slot = (slot + 1) & mask;
    }
  }

  add(number: number): boolean {
    const slot = this.slotOf(number);
    if (this.slots[slot] !== free) return false;
    this.slots[slot] = number;
    if (++this.#size * 4 > this.slots.length * 3) this.#grow();
    return true;
  }

  #grow(): void {
    const before = this.slots;
    this.slots = new Float64Array(before.length * 2);
    for (const number of before) if (number !== free) this.slots[this.slotOf(number)] = number;
  }
}
