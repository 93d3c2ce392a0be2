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
    const at = this.#extend(1);
    this.#all[at] = one;
  }

  push2(one: number, two: number): void {
    const at = this.#extend(2);
    const all = this.#all;
    all[at] = one;
    all[at + 1] = two;
  }

  push3(one: number, two: number, three: number): void {
    const at = this.#extend(3);
    const all = this.#all;
    all[at] = one;
    all[at + 1] = two;
    all[at + 2] = three;
  }

  push4(one: number, two: number, three: number, four: number): void {
    const at = this.#extend(4);
    const all = this.#all;
    all[at] = one;
    all[at + 1] = two;
    all[at + 2] = three;
    all[at + 3] = four;
  }

  push6(one: number, two: number, three: number, four: number, five: number, six: number): void {
    const at = this.#extend(6);
    const all = this.#all;
    all[at] = one;
    all[at + 1] = two;
    all[at + 2] = three;
    all[at + 3] = four;
    all[at + 4] = five;
    all[at + 5] = six;
  }

  /** Empties it. Memory that was once needed for far more than now is freed; clearing an empty list doesn't count. */
  clear(): void {
    if (this.#length > 0 && this.#all.length > 1_024 && this.#length * 16 < this.#all.length)
      this.#all = new Float64Array(1_024);
    this.#length = 0;
  }

  /** Makes room for `count` more numbers, and returns where they begin. */
  #extend(count: number): number {
    const at = this.#length;
    this.#length = at + count;
    if (this.#length > this.#all.length) this.#grow();
    return at;
  }

  #grow(): void {
    const larger = new Float64Array(Math.max(this.#length, this.#all.length * 2));
    larger.set(this.#all);
    this.#all = larger;
  }
}
