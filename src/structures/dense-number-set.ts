import { NumberSet } from './number-set.ts';

const upper = 2 ** 32;
const buckets = 2 ** 20;
/** Fewer numbers need no buckets. */
const minInBuckets = 200_000;
const fullAt = 0.75;

/**
 * A set of tens of millions of evenly distributed 52-bit integers: 20 bits of a number select its bucket, and all buckets have
 * room for the same number of remaining 32-bit parts. Numbers that don't fit are stored beside them, nearly none if there are
 * many.
 */
export class DenseNumberSet {
  #room = 0;
  #cells = new Int32Array(0);
  #counts = new Uint8Array(0);
  #size = 0;
  readonly #beside = new NumberSet();

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    const bucket = Math.floor(number / upper);
    const count = this.#counts[bucket] ?? 0;
    const first = bucket * this.#room;
    for (let cell = first; cell < first + count; cell++) if (this.#cells[cell] === (number | 0)) return true;
    return count === this.#room && this.#beside.has(number);
  }

  /** Returns whether it is new. */
  add(number: number): boolean {
    if (this.has(number)) return false;
    this.#put(number);
    this.#size += 1;
    if (this.#size > Math.max(minInBuckets, buckets * this.#room * fullAt)) this.#grow();
    return true;
  }

  clear(): void {
    this.#room = 0;
    this.#cells = new Int32Array(0);
    this.#counts = new Uint8Array(0);
    this.#size = 0;
    this.#beside.clear();
  }

  #put(number: number): void {
    const bucket = Math.floor(number / upper);
    const count = this.#counts[bucket] ?? 0;
    if (count < this.#room) {
      this.#cells[bucket * this.#room + count] = number;
      this.#counts[bucket] = count + 1;
    } else this.#beside.add(number);
  }

  #grow(): void {
    const [room, cells] = [this.#room, this.#cells];
    this.#room = Math.max(1, room * 2);
    this.#cells = new Int32Array(buckets * this.#room);
    if (room === 0) this.#counts = new Uint8Array(buckets);
    for (let bucket = 0; room > 0 && bucket < buckets; bucket++) {
      const to = bucket * this.#room;
      for (let cell = 0; cell < room; cell++) this.#cells[to + cell] = cells[bucket * room + cell] ?? 0;
    }
    const waiting: number[] = [];
    this.#beside.forEach((number) => {
      waiting.push(number);
    });
    this.#beside.clear();
    for (const number of waiting) this.#put(number);
  }
}
