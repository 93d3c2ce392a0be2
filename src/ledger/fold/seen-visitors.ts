import { TwoGenerationTable } from '../../structures/two-generation-table.ts';

/**
 * Visitors that are known to be in storage, so that not every click of theirs is looked up. Evicted visitors are looked up again.
 */
export class SeenVisitors {
  readonly #seen: TwoGenerationTable;
  #day = 0;

  constructor(max = 400_000) {
    this.#seen = new TwoGenerationTable(max / 2);
  }

  /** Must be called when visitors were deleted from storage: they are new when they come again. */
  clear(): void {
    this.#seen.clear();
  }

  /** Returns false the first time, and after an eviction. Visitors are evenly distributed numbers, owners small ones. */
  testAndAdd(day: number, owner: number, visitor: number): boolean {
    if (day !== this.#day) {
      this.#day = day;
      this.#seen.clear();
    }
    return this.#seen.testAndAdd(Math.abs(visitor + owner));
  }
}
