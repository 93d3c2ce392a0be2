const upper = 2 ** 32;
const buckets = 2 ** 20;
/** Fewer numbers need no buckets. */
const minInBuckets = 200_000;
const fullAt = 0.75;

/**
 * A set of tens of millions of evenly distributed 52-bit integers: 20 bits of a number select its bucket, and all buckets have
 * room for the same number of remaining 32-bit parts. Numbers that don't fit are stored in a separate set; if there are many
 * numbers, these are nearly none. Ten million take 9 bytes each, in a `Set` 35.
 */
export class DenseNumberSet {
  #bucketCapacity = 0;
  #cells = new Int32Array(0);
  #counts = new Uint8Array(0);
  #size = 0;
  readonly #overflow = new Set<number>();

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    const bucket = Math.floor(number / upper);
    const count = this.#counts[bucket] ?? 0;
    const first = bucket * this.#bucketCapacity;
    for (let cell = first; cell < first + count; cell++) if (this.#cells[cell] === (number | 0)) return true;
    return count === this.#bucketCapacity && this.#overflow.has(number);
  }

  /** Returns whether it is new. */
  add(number: number): boolean {
    if (this.has(number)) return false;
    this.#put(number);
    this.#size += 1;
    if (this.#size > Math.max(minInBuckets, buckets * this.#bucketCapacity * fullAt)) this.#grow();
    return true;
  }

  clear(): void {
    this.#bucketCapacity = 0;
    this.#cells = new Int32Array(0);
    this.#counts = new Uint8Array(0);
    this.#size = 0;
    this.#overflow.clear();
  }

  #put(number: number): void {
    const bucket = Math.floor(number / upper);
    const count = this.#counts[bucket] ?? 0;
    if (count < this.#bucketCapacity) {
      this.#cells[bucket * this.#bucketCapacity + count] = number;
      this.#counts[bucket] = count + 1;
    } else this.#overflow.add(number);
  }

  #grow(): void {
    const [capacity, cells] = [this.#bucketCapacity, this.#cells];
    this.#bucketCapacity = Math.max(1, capacity * 2);
    this.#cells = new Int32Array(buckets * this.#bucketCapacity);
    if (capacity === 0) this.#counts = new Uint8Array(buckets);
    for (let bucket = 0; capacity > 0 && bucket < buckets; bucket++) {
      const to = bucket * this.#bucketCapacity;
      for (let cell = 0; cell < capacity; cell++)
        this.#cells[to + cell] = cells[bucket * capacity + cell] ?? 0;
    }
    const overflowing = [...this.#overflow];
    this.#overflow.clear();
    for (const number of overflowing) this.#put(number);
  }
}
