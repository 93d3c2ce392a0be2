import type { KeyOwner } from '../storage/accounts/api-keys.ts';

/**
 * Milliseconds. A fallback for what the change feed doesn't report: a key revoked by a node of an earlier version or by hand in
 * the database, or a feed that can't be read.
 */
const defaultLifetime = 5_000;
const maxEntries = 10_000;

interface CacheEntry {
  readonly owner: KeyOwner;
  readonly until: number;
}

/**
 * The owners of API keys by the keys' hashes, cached for seconds, so that a call needs no lookup. Only valid keys are cached, so
 * that a new one works at once.
 */
export class ApiKeyCache {
  readonly #find: (hash: string) => Promise<KeyOwner | undefined>;
  readonly #lifetime: number;
  readonly #clock: () => number;
  /** Oldest first. */
  readonly #entries = new Map<string, CacheEntry>();
  /** Incremented by each change: the result of an earlier lookup may be outdated. */
  #changes = 0;

  /** `clock` is monotonic, in milliseconds. */
  constructor(
    find: (hash: string) => Promise<KeyOwner | undefined>,
    lifetime = defaultLifetime,
    clock = () => performance.now(),
  ) {
    this.#find = find;
    this.#lifetime = lifetime;
    this.#clock = clock;
  }

  async find(hash: string): Promise<KeyOwner | undefined> {
    const entry = this.#entries.get(hash);
    if (entry !== undefined && this.#clock() < entry.until) return entry.owner;
    const [changes, requestedAt] = [this.#changes, this.#clock()];
    const owner = await this.#find(hash);
    if (changes !== this.#changes) return owner;
    this.#entries.delete(hash);
    if (owner !== undefined) this.#store(hash, { owner, until: requestedAt + this.#lifetime });
    return owner;
  }

  /** A key of this user was revoked, or their permissions have changed. */
  forget(userId: number): void {
    this.#changes += 1;
    for (const [hash, { owner }] of this.#entries) if (owner.userId === userId) this.#entries.delete(hash);
  }

  clear(): void {
    this.#changes += 1;
    this.#entries.clear();
  }

  #store(hash: string, entry: CacheEntry): void {
    for (const first of this.#entries.keys()) {
      if (this.#entries.size < maxEntries) break;
      this.#entries.delete(first);
    }
    this.#entries.set(hash, entry);
  }
}
