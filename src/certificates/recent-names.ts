const lifetime = 60_000;

/** Names that this process has requested within the last minute. Older ones are dropped: another node may have deleted the request. */
export class RecentNames {
  readonly #now: () => number;
  readonly #names = new Set<string>();
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  has(host: string): boolean {
    const now = this.#now();
    // The clock may have been set back.
    if (Math.abs(now - this.#since) > lifetime) {
      this.#names.clear();
      this.#since = now;
    }
    return this.#names.has(host);
  }

  add(host: string): void {
    this.#names.add(host);
  }

  delete(host: string): void {
    this.#names.delete(host);
  }
}
