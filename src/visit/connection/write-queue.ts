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
    const taken = this.isFull ? 0 : this.#socket.write(text);
    if (isPart(taken, text.length)) this.#waiting.push(Buffer.from(text, 'latin1').subarray(taken));
  }

  bytes(bytes: Buffer): void {
    const taken = this.isFull ? 0 : this.#socket.write(bytes);
    if (isPart(taken, bytes.length)) this.#waiting.push(Buffer.from(bytes.subarray(taken)));
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
}

/** Whether the socket has left some bytes. A closed one has taken -1, and gets no more. */
const isPart = (taken: number, length: number): boolean => taken >= 0 && taken < length;
