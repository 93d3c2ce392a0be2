/** Ends a chunked body; JSON contains no line breaks. */
const lastChunk = '\r\n0\r\n\r\n';

/** Finds the status and the end of a response. The body is counted, not stored. */
export class AnswerReader {
  status = 0;
  #head = '';
  #missing = 0;
  /** The last bytes of a chunked body; null: its length is known. */
  #tail: string | null = null;

  /** Returns true when the response is complete. */
  take(chunk: Buffer): boolean {
    if (this.#tail !== null) return this.#takeChunks(chunk);
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
      return this.#missing === 0;
    }
    const text = this.#head + chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#head = text;
      return false;
    }
    this.#head = '';
    this.status = Number(text.slice(9, 12));
    const head = text.slice(0, end);
    if (/\r\ntransfer-encoding: chunked/i.test(head)) {
      this.#tail = '';
      return this.#takeChunks(Buffer.from(text.slice(end + 4), 'latin1'));
    }
    this.#missing = bodyLength(head, this.status) - (text.length - end - 4);
    return this.#missing === 0;
  }

  #takeChunks(bytes: Buffer): boolean {
    const tail = this.#tail + bytes.toString('latin1', Math.max(0, bytes.length - lastChunk.length));
    const isOver = tail.endsWith(lastChunk);
    this.#tail = isOver ? null : tail.slice(-lastChunk.length);
    return isOver;
  }
}

function bodyLength(head: string, status: number): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined && status !== 204) throw new Error(`a response without a length: ${head}`);
  return Number(length ?? 0);
}
