import { ByteQueue } from './byte-queue.ts';
import { ChunkedReader } from './chunked-reader.ts';
import type { RequestHead } from './request-head.ts';
import { AnswerReader } from './response-reader.ts';

/** A request up to this length is sent on whole or not at all: what is cut or garbled then does nothing. */
const maxWhole = 64 * 1024;

/** A request for the server behind, and the answer to it. */
export class Exchange {
  readonly answer: AnswerReader;
  readonly head: RequestHead;
  readonly #pending = new ByteQueue();
  readonly #chunks: ChunkedReader | null;
  /** Of a body of known length, still to come. */
  #left: number;
  #isForwarded = false;

  constructor(head: RequestHead) {
    this.head = head;
    this.answer = new AnswerReader(head.method);
    this.#pending.push(Buffer.from(head.text, 'latin1'));
    this.#chunks = head.body === 'chunked' ? new ChunkedReader() : null;
    this.#left = head.body === 'chunked' ? 0 : head.body;
  }

  /** Takes what is this request's. How many bytes that is. */
  take(bytes: Buffer): number {
    if (this.#chunks === null) {
      const own = bytes.subarray(0, this.#left);
      this.#left -= own.length;
      this.#pending.push(own);
      return own.length;
    }
    const taken = this.#chunks.read(bytes, this.#takeChunk);
    // The last one goes on once everything behind it is read: until then nobody has the whole body.
    if (this.#chunks.isOver) this.#pending.push(lastChunk);
    return taken;
  }

  get isMalformed(): boolean {
    return this.#chunks?.isMalformed === true;
  }

  get isWhole(): boolean {
    return this.#chunks === null ? this.#left === 0 : this.#chunks.isOver;
  }

  /** Whether what has come is to be sent on now. */
  get isReady(): boolean {
    if (this.isWhole || this.#isForwarded || this.head.expectsContinue) return true;
    return this.#pending.length + this.#left > maxWhole;
  }

  /** Whether the server behind has heard of it. */
  get isForwarded(): boolean {
    return this.#isForwarded;
  }

  forwardTo(inner: { send(bytes: Buffer): void }): void {
    this.#isForwarded = true;
    if (this.#pending.length === 0) return;
    inner.send(this.#pending.view());
    this.#pending.clear();
  }

  readonly #takeChunk = (data: Buffer): void => {
    this.#pending.push(Buffer.from(`${data.length.toString(16)}\r\n`));
    this.#pending.push(data);
    this.#pending.push(lineBreak);
  };
}

const lineBreak = Buffer.from('\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');
