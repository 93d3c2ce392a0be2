import { TwoGenerationTable } from '../structures/two-generation-table.ts';

/**
 * Visitors who are in storage already, so that it isn't asked again for each of their clicks. A visitor who was dropped
 * from this table is looked up in storage again.
 */
export class SeenVisitors {
  readonly #seen: TwoGenerationTable;
  #day = 0;

  constructor(max = 400_000) {
    this.#seen = new TwoGenerationTable(max / 2);
  }

  /** Must be called when visitors have gone from storage: those who come again are new. */
  clear(): void {
    this.#seen.clear();
  }

  /** False the first time, and after it was forgotten. Visitors are evenly spread numbers, owners small ones. */
  note(day: number, owner: number, visitor: number): boolean {
    if (day !== this.#day) {
      this.#day = day;
      this.#seen.clear();
    }
    return this.#seen.note(Math.abs(visitor + owner));
  }
}
