/**
 * Visitors who are in storage already, so that it isn't asked for each of their clicks again: in two generations, and
 * at most so many. Who was forgotten is asked for again, and found there.
 */
export class SeenVisitors {
  readonly #most: number;
  #day = 0;
  #young = new Set<number>();
  #old = new Set<number>();

  constructor(most = 400_000) {
    this.#most = most;
  }

  /** False the first time, and whenever it isn't known. Visitors are evenly spread numbers, owners small ones. */
  notes(day: number, owner: number, visitor: number): boolean {
    if (day !== this.#day) {
      this.#day = day;
      this.clear();
    }
    const key = visitor + owner;
    if (this.#young.has(key)) return true;
    const isKnown = this.#old.has(key);
    if (this.#young.size >= this.#most / 2) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
    return isKnown;
  }

  clear(): void {
    this.#young = new Set();
    this.#old = new Set();
  }
}
