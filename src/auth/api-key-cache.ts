import type { KeyHolder } from '../storage/api-keys.ts';

/**
 * Milliseconds. A fallback for what the change feed doesn't report: a key revoked by a node of an earlier version or by hand in
 * the database, or a feed that can't be read.
 */
const defaultLifetime = 5_000;
const maxKept = 10_000;

interface Kept {
  readonly holder: KeyHolder;
  readonly until: number;
}

/**
 * The holders of API keys by the keys' hashes, cached for seconds, so that a call needs no lookup. Only valid keys are cached, so
 * that a new one works at once.
 */
export class ApiKeyCache {
  readonly #find: (hash: string) => Promise<KeyHolder | undefined>;
  readonly #lifetime: number;
  readonly #clock: () => number;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();
  /** Incremented by each change: the result of an earlier lookup may be outdated. */
  #changes = 0;

  /** `clock` is monotonic, in milliseconds. */
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

  /** A key of this user was revoked, or their permissions have changed. */
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
