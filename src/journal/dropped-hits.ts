const interval = 1_500;

/** Counts dropped hits and logs them: the first one at once, then, at intervals, the number since the last report. */
export class DroppedHits {
  readonly #log: (event: string, facts: Record<string, unknown>) => void;
  #total = 0;
  #unreported = 0;
  #cause: unknown;
  #timer: Timer | undefined;

  constructor(log: (event: string, facts: Record<string, unknown>) => void) {
    this.#log = log;
  }

  get total(): number {
    return this.#total;
  }

  add(hits: number, cause: unknown): void {
    this.#total += hits;
    this.#unreported += hits;
    this.#cause = cause;
    if (this.#timer === undefined) this.#report();
  }

  /** Logs the total number of dropped hits. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#total > 0) this.#log('clicks dropped in all', { dropped_so_far: this.#total });
  }

  #report(): void {
    this.#timer = undefined;
    if (this.#unreported === 0) return;
    const error = this.#cause instanceof Error ? this.#cause.message : String(this.#cause);
    this.#log('clicks dropped', { hits: this.#unreported, error, dropped_so_far: this.#total });
    this.#unreported = 0;
    this.#timer = setTimeout(() => this.#report(), interval);
  }
}
