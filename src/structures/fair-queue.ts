interface TakeOptions<Item> {
  /** Only keys that have no turn yet. */
  readonly newKeysOnly?: boolean;
  /** Only keys whose first item passes. */
  readonly accepts?: (first: Item) => boolean;
  /** How many of its key's waiting items to take; one by default. */
  readonly count?: (waiting: number) => number;
}

const maxItems = 5_000;
const maxItemsOfKey = 1_000;

/** A round-robin queue: keys take turns, however many items each of them has, and none has more than a number of turns at a time. */
export class FairQueue<Item, Key = number> {
  readonly #maxTurnsOfKey: number;
  /** In the order in which keys come next. */
  readonly #waiting = new Map<Key, Item[]>();
  readonly #turns = new Map<Key, number>();
  #size = 0;

  constructor(maxTurnsOfKey: number) {
    this.#maxTurnsOfKey = maxTurnsOfKey;
  }

  get size(): number {
    return this.#size;
  }

  /** Further items of the key are refused. */
  isFullFor(key: Key): boolean {
    return this.#size >= maxItems || (this.#waiting.get(key)?.length ?? 0) >= maxItemsOfKey;
  }

  add(key: Key, item: Item): void {
    this.#itemsOf(key).push(item);
    this.#size += 1;
  }

  /** Puts an item that was taken but not processed back at the front of its key's items. */
  putBack(key: Key, item: Item): void {
    this.#itemsOf(key).unshift(item);
    this.#size += 1;
  }

  /** The first items of the next key, which has a turn from now on until `done` is called. */
  take(options: TakeOptions<Item> = {}): { readonly key: Key; readonly items: readonly Item[] } | undefined {
    for (const [key, waiting] of this.#waiting) {
      if (!this.#mayTake(key, waiting, options)) continue;
      const items = waiting.splice(0, Math.max(1, options.count?.(waiting.length) ?? 1));
      this.#waiting.delete(key);
      if (waiting.length > 0) this.#waiting.set(key, waiting);
      this.#size -= items.length;
      this.#turns.set(key, this.#turnsOf(key) + 1);
      return { key, items };
    }
    return undefined;
  }

  /** Whether `take` would find something. */
  has(options: TakeOptions<Item>): boolean {
    for (const [key, waiting] of this.#waiting) if (this.#mayTake(key, waiting, options)) return true;
    return false;
  }

  done(key: Key): void {
    const left = this.#turnsOf(key) - 1;
    if (left > 0) this.#turns.set(key, left);
    else this.#turns.delete(key);
  }

  remove(key: Key, item: Item): void {
    const items = this.#waiting.get(key);
    const index = items?.indexOf(item) ?? -1;
    if (!items || index < 0) return;
    items.splice(index, 1);
    this.#size -= 1;
    if (items.length === 0) this.#waiting.delete(key);
  }

  /** Removes and returns the last item of the key with the most items, unless the given key has nearly as many. */
  removeFromLongest(key: Key): Item | undefined {
    let [longest, longestKey]: [readonly Item[], Key] = [[], key];
    for (const [other, items] of this.#waiting)
      if (items.length > longest.length) [longest, longestKey] = [items, other];
    const last = longest.at(-1);
    if (last === undefined || longest.length <= (this.#waiting.get(key)?.length ?? 0) + 1) return undefined;
    this.remove(longestKey, last);
    return last;
  }

  #itemsOf(key: Key): Item[] {
    return this.#waiting.getOrInsertComputed(key, () => []);
  }

  #turnsOf(key: Key): number {
    return this.#turns.get(key) ?? 0;
  }

  #mayTake(key: Key, [first]: readonly Item[], { newKeysOnly, accepts }: TakeOptions<Item>): boolean {
    const turns = this.#turnsOf(key);
    if (turns >= (newKeysOnly ? 1 : this.#maxTurnsOfKey)) return false;
    return first !== undefined && (accepts?.(first) ?? true);
  }
}
