import type { FoldStore } from '../fold-store.ts';

export interface WordMark {
  /** How often all words were dropped before. */
  readonly trims: number;
  readonly count: number;
}

/** Ids of words are stored in 32 bits. */
const largestId = 2 ** 31 - 1;

/**
 * Words by an index of our own, assigned at once, and by their id in storage, fetched a batch at a time. Index and id of the
 * empty text are 0.
 */
export class WordIds {
  readonly #max: number;
  #indexes = new Map<string, number>();
  #words: string[] = [''];
  #ids = new Int32Array(1);
  /** The newest sweep when the first of the ids was fetched; null before that. */
  #sweep: number | null = null;
  #isOutdated = false;
  #trims = 0;

  constructor(max = 200_000) {
    this.#max = max;
  }

  /** Words whose ids were fetched before this sweep began may have been deleted. */
  noteSweep(newest: number): void {
    if (this.#sweep !== null && this.#sweep !== newest) this.#isOutdated = true;
  }

  /** The newest sweep when the words of this batch were fetched, or an earlier one. */
  get sweep(): number {
    if (this.#sweep === null) throw new Error('words were not asked for yet');
    return this.#sweep;
  }

  /**
   * Must be called between batches. Drops all words if there are too many, or they may have been deleted; returns whether it did:
   * indexes are then invalid.
   */
  trim(): boolean {
    if (this.#words.length <= this.#max && !this.#isOutdated) return false;
    this.#isOutdated = false;
    this.#sweep = null;
    this.#indexes = new Map();
    this.#words = [''];
    this.#ids = new Int32Array(1);
    this.#trims += 1;
    return true;
  }

  /** -1 if it has none. */
  find(word: string): number {
    return word === '' ? 0 : (this.#indexes.get(word) ?? -1);
  }

  indexOf(word: string): number {
    if (word === '') return 0;
    let index = this.#indexes.get(word);
    if (index === undefined) {
      index = this.#words.push(word) - 1;
      this.#indexes.set(word, index);
    }
    return index;
  }

  /** Fetches the ids of all words so far; fails as storage does, and may be called again. */
  async fetchIds(store: Pick<FoldStore, 'newestSweep' | 'wordIds'>): Promise<void> {
    this.#sweep ??= await store.newestSweep();
    const missing = this.#words.slice(this.#ids.length);
    if (missing.length === 0) return;
    const found = await store.wordIds(missing);
    const ids = new Int32Array(this.#ids.length + missing.length);
    ids.set(this.#ids);
    for (const [index, word] of missing.entries()) {
      const id = found.get(word);
      if (id === undefined || id > largestId) throw new Error(`storage gave a word the number ${id}`);
      ids[this.#ids.length + index] = id;
    }
    this.#ids = ids;
  }

  /** Marks the words whose ids were fetched by now. */
  get mark(): WordMark {
    return { trims: this.#trims, count: this.#ids.length };
  }

  /** Words after a mark, with their ids; null: all of them. */
  since(mark: WordMark | null): readonly (readonly [id: number, word: string])[] {
    const from = mark?.trims === this.#trims ? mark.count : 1;
    return Array.from(this.#ids.subarray(from), (id, index) => [id, this.#words[from + index] ?? '']);
  }

  /** Replaces indexes by ids. */
  replaceWithIds(indexes: Int32Array, count: number): void {
    const ids = this.#ids;
    for (let at = 0; at < count; at++) indexes[at] = ids[indexes[at] ?? 0] ?? 0;
  }
}
