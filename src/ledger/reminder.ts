/** Something that is to be done in the next turn of a worker: at once, or some time from now. */
export class Reminder {
  readonly #delay: number;
  readonly #wake: () => void;
  #isDue: boolean;
  #timer: Timer | undefined;
  #isStopped = false;

  /** `wake` begins a turn; `delay` is in milliseconds. */
  constructor(wake: () => void, delay: number, isDue = false) {
    this.#wake = wake;
    this.#delay = delay;
    this.#isDue = isDue;
  }

  get isDue(): boolean {
    return this.#isDue;
  }

  /** For a turn that is about to begin, or is under way and looks at it later. */
  now(): void {
    this.#isDue = true;
  }

  /** After the delay; sooner where that was said before. */
  later(): void {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => this.#remind(), this.#delay);
  }

  /** After the delay, whatever was said before. */
  laterAnew(): void {
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

  #remind(): void {
    this.#timer = undefined;
    this.#isDue = true;
    this.#wake();
  }
}
