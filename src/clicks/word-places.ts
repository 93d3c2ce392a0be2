/** Where words get the numbers that stand for them in storage. */
export type WordIds = (words: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/**
 * Words by a place of our own, which is theirs at once, and the number that storage has for them, which is asked for
 * a batch at a time. Place and number of the empty text are 0.
 */
export class WordPlaces {
  readonly #most: number;
  #places = new Map<string, number>();
  #words: string[] = [''];
  #ids: number[] = [0];

  constructor(most = 200_000) {
    this.#most = most;
  }

  /** Between batches: forgets everything when there is too much of it. */
  trim(): void {
    if (this.#words.length <= this.#most) return;
    this.#places = new Map();
    this.#words = [''];
    this.#ids = [0];
  }

  placeOf(word: string): number {
    if (word === '') return 0;
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.#words.push(word) - 1;
    this.#places.set(word, place);
    return place;
  }

  /** Has the numbers of all words so far; fails as storage does, and may be called again. */
  async settle(idsOf: WordIds): Promise<void> {
    const missing = this.#words.slice(this.#ids.length);
    if (missing.length === 0) return;
    const ids = await idsOf(missing);
    for (const word of missing) {
      const id = ids.get(word);
      if (id === undefined) throw new Error('storage gave a word no number');
      this.#ids.push(id);
    }
  }

  idAt(place: number): number {
    const id = this.#ids[place];
    if (id === undefined) throw new Error('a word has no number yet');
    return id;
  }
}
