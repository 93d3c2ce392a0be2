/** What stands for all further values once a link had too many in one hour. */
export const otherValues = '(other)';

const maxOwners = 100_000;
const maxPairs = 400_000;
const leastSlots = 1 << 10;
const free = -1;
const half = 2 ** 31;

/**
 * Values that visitors make up (a UTM parameter, a referrer) could be a new row for every hit. Per link, hour and
 * field only so many are kept apart. Counted from this process's start, and forgotten when too many links or values are seen.
 * Values are places of words.
 */
export class ValueLimit {
  readonly #most: number;
  #hour = 0;
  /** By link and field: the first value, which is all that most have, and how many more there are. */
  #owners = new Float64Array(leastSlots).fill(free);
  #firsts = new Int32Array(leastSlots);
  #further = new Int32Array(leastSlots);
  #size = 0;
  /** The further values. */
  #pairOwners = new Float64Array(leastSlots).fill(free);
  #pairValues = new Int32Array(leastSlots);
  #pairs = 0;

  constructor(most = 200) {
    this.#most = most;
  }

  /** To be called when places of words have lost their meaning. */
  clear(): void {
    if (this.#owners.length > leastSlots && this.#size * 16 < this.#owners.length)
      this.#makeOwners(leastSlots);
    else this.#owners.fill(free);
    if (this.#pairs > 0) this.#makePairs(leastSlots);
    this.#size = 0;
    this.#pairs = 0;
  }

  /** Whether a value is kept apart; from then on it is. `field` is a small number, less than 16. */
  admits(linkId: number, field: number, hour: number, value: number): boolean {
    this.#begin(hour);
    const owner = linkId * 16 + field;
    const slot = this.#slotOf(owner);
    if (this.#owners[slot] === free) {
      this.#owners[slot] = owner;
      this.#firsts[slot] = value;
      this.#further[slot] = 0;
      if (++this.#size * 2 > this.#owners.length) this.#growOwners();
      return true;
    }
    return this.#firsts[slot] === value || this.#admitsFurther(owner, slot, value);
  }

  /** Whether a value that hasn't come before would be kept apart. */
  hasRoom(linkId: number, field: number, hour: number): boolean {
    this.#begin(hour);
    const slot = this.#slotOf(linkId * 16 + field);
    return this.#owners[slot] === free || (this.#further[slot] ?? 0) + 1 < this.#most;
  }

  #begin(hour: number): void {
    if (hour === this.#hour && this.#size <= maxOwners && this.#pairs <= maxPairs) return;
    this.#hour = hour;
    this.clear();
  }

  #admitsFurther(owner: number, slot: number, value: number): boolean {
    const pair = this.#pairOf(owner, value);
    if (this.#pairOwners[pair] === owner) return true;
    const further = this.#further[slot] ?? 0;
    if (further + 1 >= this.#most) return false;
    this.#further[slot] = further + 1;
    this.#pairOwners[pair] = owner;
    this.#pairValues[pair] = value;
    if (++this.#pairs * 2 > this.#pairOwners.length) this.#growPairs();
    return true;
  }

  #slotOf(owner: number): number {
    const owners = this.#owners;
    const mask = owners.length - 1;
    let slot = hashOf(owner, 0) & mask;
    for (;;) {
      const found = owners[slot];
      if (found === owner || found === free) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #pairOf(owner: number, value: number): number {
    const owners = this.#pairOwners;
    const values = this.#pairValues;
    const mask = owners.length - 1;
    let pair = hashOf(owner, value) & mask;
    for (;;) {
      const found = owners[pair];
      if (found === free || (found === owner && values[pair] === value)) return pair;
      pair = (pair + 1) & mask;
    }
  }

  #growOwners(): void {
    const [owners, firsts, further] = [this.#owners, this.#firsts, this.#further];
    this.#makeOwners(owners.length * 2);
    for (let from = 0; from < owners.length; from++) {
      const owner = owners[from] ?? free;
      if (owner === free) continue;
      const slot = this.#slotOf(owner);
      this.#owners[slot] = owner;
      this.#firsts[slot] = firsts[from] ?? 0;
      this.#further[slot] = further[from] ?? 0;
    }
  }

  #growPairs(): void {
    const [owners, values] = [this.#pairOwners, this.#pairValues];
    this.#makePairs(owners.length * 2);
    for (let from = 0; from < owners.length; from++) {
      const owner = owners[from] ?? free;
      if (owner === free) continue;
      const pair = this.#pairOf(owner, values[from] ?? 0);
      this.#pairOwners[pair] = owner;
      this.#pairValues[pair] = values[from] ?? 0;
    }
  }

  #makeOwners(slots: number): void {
    this.#owners = new Float64Array(slots).fill(free);
    this.#firsts = new Int32Array(slots);
    this.#further = new Int32Array(slots);
  }

  #makePairs(slots: number): void {
    this.#pairOwners = new Float64Array(slots).fill(free);
    this.#pairValues = new Int32Array(slots);
  }
}

function hashOf(owner: number, value: number): number {
  const upper = Math.floor(owner / half);
  const hash =
    Math.imul(owner - upper * half, 0x9e3779b1) ^ Math.imul(upper ^ (value << 7) ^ value, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
