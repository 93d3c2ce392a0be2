import { Refusal } from '../rules/errors.ts';

const maxAtOnce = 32;

/** Work that continues after its response was sent, so that response times reveal nothing about it. */
export class BackgroundTasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onFault: (cause: unknown) => void;

  constructor(onFault: (cause: unknown) => void) {
    this.#onFault = onFault;
  }

  start(work: () => Promise<void>): void {
    if (this.#running.size >= maxAtOnce) {
      throw new Refusal('BUSY', 'Too many mails are being sent right now. Try again in a few seconds.', {
        retryAfter: 5,
      });
    }
    const running = this.#runAfterResponse(work).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for the tasks that are running. */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #runAfterResponse(work: () => Promise<void>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await work().catch(this.#onFault);
  }
}
