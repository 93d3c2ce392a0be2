const sizeLine = /^([0-9a-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const maxLine = 4 * 1024;
const maxTrailers = 8 * 1024;

/** A chunked body, read as strictly as RFC 9112 permits. Extensions and trailers are checked and dropped. */
export class ChunkedReader {
  #expected: 'size' | 'data' | 'line break' | 'trailer' | 'nothing' = 'size';
  #line = '';
  /** Bytes of this chunk's data that are still to come. */
  #left = 0;
  #trailers = 0;
  #isMalformed = false;

  /** Whether the last chunk and its trailers have been read. */
  get isOver(): boolean {
    return this.#expected === 'nothing';
  }

  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** Reads up to the end of the body, and returns how many bytes that took. The data is only valid during the call. */
  read(bytes: Buffer, onData: ((data: Buffer) => void) | null): number {
    let at = 0;
    while (at < bytes.length && !this.isOver && !this.#isMalformed) {
      if (this.#expected === 'data') {
        const data = bytes.subarray(at, at + this.#left);
        onData?.(data);
        at += data.length;
        this.#left -= data.length;
        if (this.#left === 0) this.#expected = 'line break';
      } else at = this.#readLine(bytes, at);
    }
    return at;
  }

  #readLine(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(10, at);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    if (this.#line.length + end - at > maxLine) {
      this.#isMalformed = true;
      return at;
    }
    this.#line += bytes.toString('latin1', at, end);
    if (lineFeed >= 0) {
      const line = this.#line;
      this.#line = '';
      this.#isMalformed = !line.endsWith('\r\n') || !this.#take(line.slice(0, -2));
    }
    return end;
  }

  /** Returns false for a malformed line. */
  #take(line: string): boolean {
    if (this.#expected === 'line break') {
      this.#expected = 'size';
      return line === '';
    }
    if (this.#expected === 'size') {
      const size = sizeLine.exec(line)?.[1];
      if (size === undefined) return false;
      this.#left = Number.parseInt(size, 16);
      this.#expected = this.#left > 0 ? 'data' : 'trailer';
      return true;
    }
    if (line === '') {
      this.#expected = 'nothing';
      return true;
    }
    this.#trailers += line.length;
    return this.#trailers <= maxTrailers && trailerLine.test(line);
  }
}
