import { IntTable } from './int-table.ts';

/**
 * A bounded `IntTable`: two generations with a limit of keys each. When the young one is full it becomes the old one, and the
 * former old one is dropped.
 */
export class TwoGenerationTable {
  readonly #maxPerGeneration: number;
  #young = new IntTable();
  #old = new IntTable();

  constructor(maxPerGeneration: number) {
    this.#maxPerGeneration = maxPerGeneration;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Whether the next new key starts a generation. */
  get isFull(): boolean {
    return this.#young.size >= this.#maxPerGeneration;
  }

  /** -1 if there is none. */
  get(key: number): number {
    const value = this.#young.get(key);
    return value >= 0 ? value : this.#old.get(key);
  }

  set(key: number, value: number): void {
    if (this.isFull) this.rotate();
    this.#young.set(key, value);
  }

  /** For use as a set: adds the key to the young generation, and returns whether it was in the set before. */
  testAndAdd(key: number): boolean {
    if (!this.#young.add(key, 0)) return true;
    const wasOld = this.#old.get(key) >= 0;
    if (this.isFull) this.rotate();
    return wasOld;
  }

  rotate(): void {
    const dropped = this.#old;
    this.#old = this.#young;
    this.#young = dropped;
    dropped.clear();
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
