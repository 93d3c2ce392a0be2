import type { Writable } from './port.ts';

/**
 * Writes to a socket in order, and queues the bytes that the system doesn't take at once. The caller stops reading while it
 * `isFull`, so the queue stays short.
 */
export class WriteQueue {
  readonly #socket: Writable;
  #waiting: Buffer[] = [];
  #isEnding = false;

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  get isFull(): boolean {
    return this.#waiting.length > 0;
  }

  /** ASCII only. */
  text(text: string): void {
    if (this.isFull) this.#waiting.push(Buffer.from(text, 'latin1'));
    else this.#keep(text.length, this.#socket.write(text), () => Buffer.from(text, 'latin1'));
  }

  bytes(bytes: Buffer): void {
    if (this.isFull) this.#waiting.push(Buffer.from(bytes));
    else this.#keep(bytes.length, this.#socket.write(bytes), () => Buffer.from(bytes));
  }

  /** There is room again. */
  drained(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) this.bytes(bytes);
    if (this.#isEnding && !this.isFull) this.#socket.shutdown();
  }

  /** Ends the writing side once everything is written. */
  end(): void {
    this.#isEnding = true;
    if (!this.isFull) this.#socket.shutdown();
  }

  #keep(length: number, taken: number, copy: () => Buffer): void {
    if (taken >= 0 && taken < length) this.#waiting.push(copy().subarray(taken));
  }
}
