const pair = 2 ** 32;
const free = -1;
/** Up to here the simplest way of sorting is the quickest. */
const fewKeys = 48;

export const kindOf = (key: number): number => Math.floor(key / pair);
export const countedOf = (key: number): number => key - Math.floor(key / pair) * pair;

/**
 * Counts by two whole numbers (a kind below 2 to the 20th, a value below 2 to the 31st), in one flat table that is used
 * again: a map of objects took most of the fold's time.
 */
export class RollUpTally {
  #keys: Float64Array;
  #counts: Int32Array;
  #used: Float64Array;
  #size = 0;

  constructor(capacity = 64) {
    this.#keys = new Float64Array(capacity).fill(free);
    this.#counts = new Int32Array(capacity);
    this.#used = new Float64Array(capacity >> 1);
  }

  get size(): number {
    return this.#size;
  }

  add(kind: number, value: number, count = 1): void {
    const key = kind * pair + value;
    const at = this.#place(kind, value, key);
    if (this.#keys[at] === key) {
      this.#counts[at] = (this.#counts[at] ?? 0) + count;
      return;
    }
    this.#keys[at] = key;
    this.#counts[at] = count;
    this.#used[this.#size++] = key;
    if (this.#size === this.#used.length) this.#grow();
  }

  /** Kind and value as `kindOf` and `countedOf` know them, in order. To be read before anything else is done here. */
  keys(): Float64Array {
    const keys = this.#used.subarray(0, this.#size);
    return this.#size <= fewKeys ? insertionSorted(keys) : keys.sort();
  }

  count(key: number): number {
    const at = this.#place(kindOf(key), countedOf(key), key);
    return this.#keys[at] === key ? (this.#counts[at] ?? 0) : 0;
  }

  clear(): void {
    const most = this.#used.length;
    if (this.#size * 8 > most) this.#keys.fill(free);
    else for (let index = 0; index < this.#size; index++) this.#free(this.#used[index] ?? 0);
    this.#size = 0;
  }

  /** Leaves a gap, which is only right when all are freed. */
  #free(key: number): void {
    const mask = this.#keys.length - 1;
    let at = hashOf(kindOf(key), countedOf(key)) & mask;
    for (; this.#keys[at] !== free; at = (at + 1) & mask) this.#keys[at] = free;
  }

  #place(kind: number, value: number, key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let at = hashOf(kind, value) & mask;
    for (;;) {
      const found = keys[at];
      if (found === key || found === free) return at;
      at = (at + 1) & mask;
    }
  }

  #grow(): void {
    const larger = new RollUpTally(this.#keys.length * 2);
    for (const key of this.#used) larger.add(kindOf(key), countedOf(key), this.count(key));
    this.#keys = larger.#keys;
    this.#counts = larger.#counts;
    this.#used = larger.#used;
  }
}

function hashOf(kind: number, value: number): number {
  const hash = Math.imul(kind, 0x9e3779b1) ^ Math.imul(value, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function insertionSorted(keys: Float64Array): Float64Array {
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] ?? 0;
    let at = next;
    for (; at > 0 && (keys[at - 1] ?? 0) > key; at--) keys[at] = keys[at - 1] ?? 0;
    keys[at] = key;
  }
  return keys;
}
