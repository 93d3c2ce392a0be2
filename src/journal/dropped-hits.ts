const interval = 1_500;

/** Counts hits that nothing could hold, and tells of them: the first at once, then all since the last time, now and then. */
export class DroppedHits {
  readonly #tell: (event: string, facts: Record<string, unknown>) => void;
  #total = 0;
  #untold = 0;
  #cause: unknown;
  #telling: Timer | undefined;

  constructor(tell: (event: string, facts: Record<string, unknown>) => void) {
    this.#tell = tell;
  }

  add(hits: number, cause: unknown): void {
    this.#total += hits;
    this.#untold += hits;
    this.#cause = cause;
    if (this.#telling === undefined) this.#tellUntold();
  }

  /** At the end: how many they were in all. */
  close(): void {
    clearTimeout(this.#telling);
    if (this.#total > 0) this.#tell('clicks dropped in all', { dropped_so_far: this.#total });
  }

  #tellUntold(): void {
    this.#telling = undefined;
    if (this.#untold === 0) return;
    const error = this.#cause instanceof Error ? this.#cause.message : String(this.#cause);
    this.#tell('clicks dropped', { hits: this.#untold, error, dropped_so_far: this.#total });
    this.#untold = 0;
    this.#telling = setTimeout(() => this.#tellUntold(), interval);
  }
}
