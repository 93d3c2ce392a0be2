/** Finds the status and the end of a response. The body is counted, not stored. */
export class AnswerReader {
  status = 0;
  #head = '';
  #missing = 0;

  /** Returns true when the response is complete. */
  take(chunk: Buffer): boolean {
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
    this.#missing = bodyLength(text.slice(0, end), this.status) - (text.length - end - 4);
    return this.#missing === 0;
  }
}

function bodyLength(head: string, status: number): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined && status !== 204) throw new Error(`a response without a length: ${head}`);
  return Number(length ?? 0);
}
