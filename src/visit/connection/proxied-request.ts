import { ByteQueue } from './byte-queue.ts';
import { ChunkedReader } from './chunked-reader.ts';
import type { RequestHead } from './request-head.ts';
import { ResponseReader } from './response-reader.ts';

/** A request up to this length is forwarded whole or not at all: if it is cut off or malformed, it has no effect. */
const maxWhole = 64 * 1024;

/** A request for the app server, and the response to it. */
export class ProxiedRequest {
  readonly response: ResponseReader;
  readonly head: RequestHead;
  readonly #pending = new ByteQueue();
  readonly #chunks: ChunkedReader | null;
  /** Bytes of a body of known length that are still to come. */
  #left: number;
  #isForwarded = false;

  constructor(head: RequestHead) {
    this.head = head;
    this.response = new ResponseReader(head.method);
    this.#pending.push(Buffer.from(head.text, 'latin1'));
    this.#chunks = head.body === 'chunked' ? new ChunkedReader() : null;
    this.#left = head.body === 'chunked' ? 0 : head.body;
  }

  /** Takes the bytes that belong to this request, and returns how many. */
  take(bytes: Buffer): number {
    if (this.#chunks === null) {
      const own = bytes.subarray(0, this.#left);
      this.#left -= own.length;
      this.#pending.push(own);
      return own.length;
    }
    const data = new ByteQueue();
    const taken = this.#chunks.read(bytes, (from, to) => data.push(bytes, from, to));
    // As one chunk, however small those of the client are.
    if (data.length > 0) {
      this.#pending.push(Buffer.from(`${data.length.toString(16)}\r\n`));
      this.#pending.push(data.view());
      this.#pending.push(lineBreak);
    }
    // The last chunk is forwarded once its trailers have been read: until then the body is incomplete for the app server.
    if (this.#chunks.isOver) this.#pending.push(lastChunk);
    return taken;
  }

  /**
   * Whether to abort it once the client sends no more: probably it has disconnected, and then a read of the API is of no use, but
   * may take long. A visit never does, and its client may have ended only its own side.
   */
  get endsWithClient(): boolean {
    return /^(?:GET|HEAD) \/api\//.test(this.head.text);
  }

  get isMalformed(): boolean {
    return this.#chunks?.isMalformed === true;
  }

  get isComplete(): boolean {
    return this.#chunks === null ? this.#left === 0 : this.#chunks.isOver;
  }

  /** Whether the received bytes can be forwarded now. */
  get isReady(): boolean {
    if (this.isComplete || this.#isForwarded || this.head.expectsContinue) return true;
    return this.#pending.length + this.#left > maxWhole;
  }

  /** Whether any of it has been forwarded. */
  get isForwarded(): boolean {
    return this.#isForwarded;
  }

  forwardTo(upstream: { send(bytes: Buffer): void }): void {
    this.#isForwarded = true;
    if (this.#pending.length === 0) return;
    upstream.send(this.#pending.view());
    this.#pending.clear();
  }
}

const lineBreak = Buffer.from('\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');
