import type { Position } from '../../src/journal/files.ts';
import type { FoldStore } from '../../src/ledger/fold-store.ts';
import type { StoredHit } from '../../src/ledger/ledger.ts';
import { eachField, hitColumns } from '../../src/rules/click-fields.ts';
import { emptyBatch } from './empty-batch.ts';

/** A hit that has no id yet. */
export type NewHit = Omit<StoredHit, 'id'>;

export const zeroColumns: NewHit = eachField(hitColumns, () => 0);

/** Folds batches, as the fold thread does. */
export class BatchFolder {
  readonly #store: FoldStore;
  readonly #journal: string;
  #from: Position | null = null;

  constructor(store: FoldStore, journal = 'here/own') {
    this.#store = store;
    this.#journal = journal;
  }

  /**
   * Returns the folded hits in the order of the batch, each with the id that webhooks would get. A batch by link is sorted, and
   * in packs where there are enough hits. `sweep` is the sweep in which the words were looked up.
   */
  async fold(
    newHits: readonly NewHit[],
    isByLink: boolean,
    sweep = 0,
    store = this.#store,
  ): Promise<readonly StoredHit[]> {
    const sorted = isByLink ? newHits.toSorted((one, other) => one.link_id - other.link_id) : newHits;
    const columns = hitColumns.map((name) => Float64Array.from(sorted, (hit) => hit[name]));
    const hits = { columns, count: sorted.length };
    const to = { segment: 1, offset: (this.#from?.offset ?? 0) + 1 };
    let ids: readonly number[] = [];
    await store.fold(
      { ...emptyBatch(this.#journal), from: this.#from, to, sweep, hits, isByLink },
      (_links, hitIdOf) => {
        ids = sorted.map((_, index) => hitIdOf(index));
        return [];
      },
    );
    this.#from = to;
    return sorted.map((hit, index) => ({ ...hit, id: ids[index] ?? 0 }) as StoredHit);
  }
}
