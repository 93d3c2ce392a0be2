/** A growing list of numbers, in one reused array. */
export class FloatList {
  #all: Float64Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#all = new Float64Array(capacity);
  }

  /** A view: valid until the next change. */
  get all(): Float64Array {
    return this.#all.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#all[index] ?? 0;
  }

  /** Adds to a number that is in the list. */
  add(index: number, amount: number): void {
    this.#all[index] = (this.#all[index] ?? 0) + amount;
  }

  push(one: number): void {
    if (this.#length + 1 > this.#all.length) this.#grow(this.#length + 1);
    this.#all[this.#length++] = one;
  }

  push2(one: number, two: number): void {
    if (this.#length + 2 > this.#all.length) this.#grow(this.#length + 2);
    const all = this.#all;
    const at = this.#length;
    all[at] = one;
    all[at + 1] = two;
    this.#length = at + 2;
  }

  push3(one: number, two: number, three: number): void {
    if (this.#length + 3 > this.#all.length) this.#grow(this.#length + 3);
    const all = this.#all;
    const at = this.#length;
    all[at] = one;
    all[at + 1] = two;
    all[at + 2] = three;
    this.#length = at + 3;
  }

  push4(one: number, two: number, three: number, four: number): void {
    if (this.#length + 4 > this.#all.length) this.#grow(this.#length + 4);
    const all = this.#all;
    const at = this.#length;
    all[at] = one;
    all[at + 1] = two;
    all[at + 2] = three;
    all[at + 3] = four;
    this.#length = at + 4;
  }

  push6(one: number, two: number, three: number, four: number, five: number, six: number): void {
    if (this.#length + 6 > this.#all.length) this.#grow(this.#length + 6);
    const all = this.#all;
    const at = this.#length;
    all[at] = one;
    all[at + 1] = two;
    all[at + 2] = three;
    all[at + 3] = four;
    all[at + 4] = five;
    all[at + 5] = six;
    this.#length = at + 6;
  }

  /** Empties it. Memory that was once needed for far more than now is freed; clearing an empty list doesn't count. */
  clear(): void {
    if (this.#length > 0 && this.#all.length > 1_024 && this.#length * 16 < this.#all.length)
      this.#all = new Float64Array(1_024);
    this.#length = 0;
  }

  #grow(min: number): void {
    const larger = new Float64Array(Math.max(min, this.#all.length * 2));
    larger.set(this.#all);
    this.#all = larger;
  }
}
