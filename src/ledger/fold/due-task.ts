/** A task of a worker that is due in its next run: at once, or some time from now. */
export class DueTask {
  readonly #delay: number;
  readonly #wake: () => void;
  #isDue: boolean;
  #timer: Timer | undefined;
  #isStopped = false;

  /** `wake` starts a run; `delay` is in milliseconds. */
  constructor(wake: () => void, delay: number, isDue = false) {
    this.#wake = wake;
    this.#delay = delay;
    this.#isDue = isDue;
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
    if (!this.#isStopped) this.#timer ??= setTimeout(() => this.#becomeDue(), this.#delay);
  }

  /** Due after the delay, replacing what was set before. */
  postpone(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.later();
  }

  done(): void {
    this.#isDue = false;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #becomeDue(): void {
    this.#timer = undefined;
    this.#isDue = true;
    this.#wake();
  }
}
