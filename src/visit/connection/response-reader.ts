import { ChunkedReader } from './chunked-reader.ts';

const statusLine = /^HTTP\/1\.1 (\d)(\d\d)/;

/** Finds the end of a response of the app server. Its bytes are passed on as they come. */
export class ResponseReader {
  readonly #method: string;
  #head = '';
  #chunks: ChunkedReader | null = null;
  /** Bytes of its body that are still to come; null while its head is incomplete. */
  #left: number | null = null;
  #hasBegun = false;
  #closes = false;

  constructor(method: string) {
    this.#method = method;
  }

  /** Whether any of the final response has arrived. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isOver(): boolean {
    return this.#chunks === null ? this.#left === 0 : this.#chunks.isOver;
  }

  /** Whether the app server closes its connection after this response, or the response's end is unknown. */
  get closes(): boolean {
    return this.#closes;
  }

  /** Returns how many of these bytes belong to this response. */
  read(bytes: Buffer): number {
    let at = 0;
    while (this.#left === null && at < bytes.length) at = this.#readHead(bytes, at);
    if (this.#left === null) return at;
    if (this.#chunks !== null) {
      at += this.#chunks.read(bytes.subarray(at), null);
      // Then only the end of the connection ends the response.
      if (this.#chunks.isMalformed) this.#endsWithConnection();
      return this.#chunks === null ? bytes.length : at;
    }
    const own = Math.min(this.#left, bytes.length - at);
    this.#left -= own;
    return at + own;
  }

  /** Reads one head, which may belong to an interim response. Returns where it ends, or where the bytes end if it is incomplete. */
  #readHead(bytes: Buffer, at: number): number {
    const before = this.#head.length;
    const text = this.#head + bytes.toString('latin1', at);
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3));
    const [, statusClass, rest] = statusLine.exec(text) ?? [];
    if (statusClass !== '1') this.#hasBegun = true;
    if (end < 0) {
      this.#head = text;
      return bytes.length;
    }
    this.#head = '';
    if (statusClass !== '1') this.#findEnd(text.slice(0, end + 2), `${statusClass}${rest}`);
    return at + end + 4 - before;
  }

  #findEnd(head: string, status: string): void {
    this.#closes = /\r\nconnection: *close\r\n/i.test(head);
    const length = /\r\ncontent-length: *(\d{1,15})\r\n/i.exec(head)?.[1];
    if (this.#method === 'HEAD' || status === '204' || status === '304') this.#left = 0;
    else if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) {
      this.#left = Number.POSITIVE_INFINITY;
      this.#chunks = new ChunkedReader();
    } else if (length !== undefined) this.#left = Number(length);
    else this.#endsWithConnection();
  }

  #endsWithConnection(): void {
    this.#chunks = null;
    this.#left = Number.POSITIVE_INFINITY;
    this.#closes = true;
  }
}
