/** Characters: nobody repeats what is longer. */
export const longestKey = 1_024;

/**
 * What was asked for lately: in two generations, each of so many answers and characters of keys at the most. What is
 * found in the older one comes into the younger.
 */
export class BoundedCache<K, T> {
  readonly #kept: (key: K) => K;
  readonly #most: number;
  readonly #maxCharacters: number;
  #young = new Map<K, T>();
  #old = new Map<K, T>();
  #characters = 0;

  /** `kept` makes of a key what may be kept of it. */
  constructor(most: number, kept: (key: K) => K = (key) => key) {
    this.#kept = kept;
    this.#most = most / 2;
    this.#maxCharacters = this.#most * 192;
  }

  /** `size` is how many characters the key has, or what it stands for. */
  get(key: K, size: number): T | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older, size);
    return older;
  }

  set(key: K, value: T, size: number): void {
    if (this.#young.size >= this.#most || this.#characters >= this.#maxCharacters) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(this.#kept(key), value);
    this.#characters += size;
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#characters = 0;
  }
}

/** A text cut from a record of the journal would keep the whole record in memory. */
const copied = (text: string): string => Buffer.from(text).toString();

/** The same function, with a memory. What it makes is made from a copy, and so holds on to nothing larger. */
export function memoize<T>(most: number, make: (key: string) => T): (key: string) => T {
  const lately = new BoundedCache<string, T>(most, copied);
  return (key) => {
    const known = lately.get(key, key.length);
    if (known !== undefined) return known;
    const made = make(copied(key));
    if (key.length <= longestKey) lately.set(key, made, key.length);
    return made;
  };
}
