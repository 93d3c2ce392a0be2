/** Counts values by size. A count costs some nanoseconds, and memory is allocated once. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly #bounds: Float64Array;
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds`: the upper ends of the buckets, sorted. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Counts a value `count` times. */
  add(value: number, count = 1): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    this.#counts[index] = (this.#counts[index] as number) + count;
    this.#sum += value * count;
  }

  get sum(): number {
    return this.#sum;
  }

  /** How many values were at most each bucket's bound; the last entry is the total. */
  get cumulative(): readonly number[] {
    let sum = 0;
    return [...this.#counts].map((count) => {
      sum += count;
      return sum;
    });
  }
}
