import type { Position } from '../../src/journal/files.ts';
import type { FoldStore } from '../../src/ledger/fold-store.ts';
import type { StoredHit } from '../../src/ledger/ledger.ts';
import { hitColumns } from '../../src/rules/click-fields.ts';

/** A hit that has no id yet. */
export type NewHit = Omit<StoredHit, 'id'>;

/** Folds batches, as the fold thread does. */
export class BatchFolder {
  readonly #store: FoldStore;
  readonly #journal: string;
  #from: Position | null = null;

  constructor(store: FoldStore, journal = 'here/own') {
    this.#store = store;
    this.#journal = journal;
  }

  /** Returns the folded hits in the order of the batch, each with the id that webhooks would get. */
  async fold(newHits: readonly NewHit[], isByLink: boolean): Promise<readonly StoredHit[]> {
    const hits = isByLink ? newHits.toSorted((one, other) => one.link_id - other.link_id) : newHits;
    const columns = hitColumns.map((name) => Float64Array.from(hits, (hit) => hit[name]));
    const to = { segment: 1, offset: (this.#from?.offset ?? 0) + 1 };
    const none = new Float64Array();
    let ids: readonly number[] = [];
    await this.#store.fold(
      {
        journal: this.#journal,
        now: 0,
        from: this.#from,
        to,
        sweep: 0,
        newWords: new Map(),
        hits: { columns, count: hits.length },
        isByLink,
        order: null,
        visitors: [],
        linkHours: { numbers: none, counts: [] },
        organizationRollups: none,
        linkClicks: none,
      },
      (_links, hitIdOf) => {
        ids = hits.map((_, index) => hitIdOf(index));
        return [];
      },
    );
    this.#from = to;
    return hits.map((hit, index) => ({ ...hit, id: ids[index] ?? 0 }) as StoredHit);
  }
}
