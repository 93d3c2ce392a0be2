/** Where words get the numbers that stand for them in storage. */
export type FindWordIds = (words: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Numbers of words are kept in 32 bits. */
const largestId = 2 ** 31 - 1;

/**
 * Words by a place of our own, which is theirs at once, and the number that storage has for them, which is asked for
 * a batch at a time. Place and number of the empty text are 0.
 */
export class WordIds {
  readonly #max: number;
  #indexes = new Map<string, number>();
  #words: string[] = [''];
  #ids: number[] = [0];
  /** The same, as it is quickest read. */
  #numbers = new Int32Array(1);

  constructor(max = 200_000) {
    this.#max = max;
  }

  /** Between batches: forgets everything when there is too much of it, and says so: places have lost their meaning. */
  trim(): boolean {
    if (this.#words.length <= this.#max) return false;
    this.#indexes = new Map();
    this.#words = [''];
    this.#ids = [0];
    this.#numbers = new Int32Array(1);
    return true;
  }

  /** -1 when it has none. */
  find(word: string): number {
    return word === '' ? 0 : (this.#indexes.get(word) ?? -1);
  }

  indexOf(word: string): number {
    if (word === '') return 0;
    const known = this.#indexes.get(word);
    if (known !== undefined) return known;
    const index = this.#words.push(word) - 1;
    this.#indexes.set(word, index);
    return index;
  }

  /** Has the numbers of all words so far; fails as storage does, and may be called again. */
  async settle(idsOf: FindWordIds): Promise<void> {
    const missing = this.#words.slice(this.#ids.length);
    if (missing.length === 0) return;
    const ids = await idsOf(missing);
    for (const word of missing) {
      const id = ids.get(word);
      if (id === undefined || id > largestId) throw new Error(`storage gave a word the number ${id}`);
      this.#ids.push(id);
    }
  }

  /** Puts numbers in the place of places. */
  number(indexes: Int32Array, count: number): void {
    if (this.#numbers.length !== this.#ids.length) this.#numbers = Int32Array.from(this.#ids);
    const ids = this.#numbers;
    for (let at = 0; at < count; at++) indexes[at] = ids[indexes[at] ?? 0] ?? 0;
  }

  idAt(index: number): number {
    const id = this.#ids[index];
    if (id === undefined) throw new Error('a word has no number yet');
    return id;
  }
}
