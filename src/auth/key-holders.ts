import type { KeyHolder } from '../storage/api-keys.ts';

/**
 * Milliseconds. A net beneath the change feed, for what it doesn't tell: a key that a node of an earlier version revoked, or a hand in
 * the database, and for a feed that can't be read.
 */
const defaultLifetime = 5_000;
const maxKept = 10_000;

interface Kept {
  readonly holder: KeyHolder;
  readonly until: number;
}

/**
 * Whose API keys are, by the keys' hashes, kept for seconds: a call needs no look-up then. Only keys that work are kept, so that
 * a new one works at once.
 */
export class KeyHolders {
  readonly #find: (hash: string) => Promise<KeyHolder | undefined>;
  readonly #lifetime: number;
  readonly #clock: () => number;
  /** The one found first comes first. */
  readonly #kept = new Map<string, Kept>();
  /** Rises with each change: what was asked for before one may be what there was before it. */
  #changes = 0;

  /** `clock` counts milliseconds and never goes back. */
  constructor(
    find: (hash: string) => Promise<KeyHolder | undefined>,
    lifetime = defaultLifetime,
    clock = () => performance.now(),
  ) {
    this.#find = find;
    this.#lifetime = lifetime;
    this.#clock = clock;
  }

  async find(hash: string): Promise<KeyHolder | undefined> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined && this.#clock() < kept.until) return kept.holder;
    const [changes, askedAt] = [this.#changes, this.#clock()];
    const holder = await this.#find(hash);
    if (changes !== this.#changes) return holder;
    this.#kept.delete(hash);
    if (holder !== undefined) this.#keep(hash, { holder, until: askedAt + this.#lifetime });
    return holder;
  }

  /** A key of this user has ended, or what they may do has changed. */
  forget(userId: number): void {
    this.#changes += 1;
    for (const [hash, { holder }] of this.#kept) if (holder.userId === userId) this.#kept.delete(hash);
  }

  clear(): void {
    this.#changes += 1;
    this.#kept.clear();
  }

  #keep(hash: string, kept: Kept): void {
    for (const first of this.#kept.keys()) {
      if (this.#kept.size < maxKept) break;
      this.#kept.delete(first);
    }
    this.#kept.set(hash, kept);
  }
}
