/**
 * Whether a request that is carried on is surely not whole yet. Where that can't be told, it counts as whole: it may be
 * under way, and what is under way isn't broken off.
 */
export class RequestProgress {
  #isHeadCut: boolean;
  /** Bytes of a body that says its length. */
  #missing = 0;
  readonly #isChunked: boolean;
  /** The last bytes of a body in chunks: whole, it ends with an empty line. */
  #tail = '';

  constructor(beginning: Buffer) {
    const headLength = beginning.indexOf('\r\n\r\n') + 4;
    this.#isHeadCut = headLength < 4;
    const head = this.#isHeadCut ? '' : beginning.toString('latin1', 0, headLength);
    this.#isChunked = /\r\ntransfer-encoding:/i.test(head);
    if (this.#isHeadCut) return;
    const length = /\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n/i.exec(head)?.[1];
    this.#missing = headLength + Number(length ?? 0);
    this.note(beginning);
  }

  note(bytes: Buffer): void {
    this.#isHeadCut = false;
    this.#missing = Math.max(0, this.#missing - bytes.length);
    if (this.#isChunked) this.#tail = (this.#tail + bytes.toString('latin1', bytes.length - 4)).slice(-4);
  }

  get isHalfSent(): boolean {
    return this.#isHeadCut || (this.#isChunked ? this.#tail !== '\r\n\r\n' : this.#missing > 0);
  }
}
