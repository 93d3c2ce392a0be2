interface DueTaskParts {
  readonly work: () => Promise<void>;
  /** Starts a run of the worker. */
  readonly wake: () => void;
  /** Milliseconds. */
  readonly delay: number;
  readonly isDue?: boolean;
}

/** A task of a worker that is due in its next run: at once, or some time from now. */
export class DueTask {
  readonly #parts: DueTaskParts;
  #isDue: boolean;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(parts: DueTaskParts) {
    this.#parts = parts;
    this.#isDue = parts.isDue ?? false;
  }

  get isDue(): boolean {
    return this.#isDue;
  }

  /** Due in a run that is about to begin, or later in the current one. */
  now(): void {
    this.#isDue = true;
  }

  /** Due after the delay; sooner if that was set before. */
  later(): void {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => this.#becomeDue(), this.#parts.delay);
  }

  /** Due after the delay, replacing what was set before. */
  postpone(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.later();
  }

  /** If it fails, it is due again after the delay: the worker would otherwise repeat it without a pause. */
  async doIfDue(): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    try {
      await this.#parts.work();
    } catch (cause) {
      this.later();
      throw cause;
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #becomeDue(): void {
    this.#timer = undefined;
    this.#isDue = true;
    this.#parts.wake();
  }
}
