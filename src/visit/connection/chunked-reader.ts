const sizeLine = /^([0-9a-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const maxLine = 4 * 1024;
const maxTrailers = 8 * 1024;
const [lineFeed, carriageReturn] = [10, 13];

/** The value of a hexadecimal digit by its code; -1 for another character. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

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

  /** Reads up to the end of the body, and returns how many bytes that took. `onData` gets the limits of each piece of data. */
  read(bytes: Buffer, onData: ((from: number, to: number) => void) | null): number {
    let at = 0;
    while (at < bytes.length && !this.isOver && !this.#isMalformed) {
      if (this.#expected === 'data') {
        const end = Math.min(at + this.#left, bytes.length);
        onData?.(at, end);
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#expected = 'line break';
      } else at = this.#readShortLine(bytes, at) ?? this.#readLine(bytes, at);
    }
    return at;
  }

  /**
   * Reads a line break after data, or the size of a small chunk, without making a text of it: chunks of one byte took 2 µs each, so a
   * few connections could keep the thread busy. Null for every other line, and one that isn't complete.
   */
  #readShortLine(bytes: Buffer, at: number): number | null {
    if (this.#line !== '') return null;
    if (this.#expected === 'line break') {
      if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) return null;
      this.#expected = 'size';
      return at + 2;
    }
    if (this.#expected !== 'size') return null;
    const size = digit(bytes[at] ?? 0);
    if (size <= 0 || bytes[at + 1] !== carriageReturn || bytes[at + 2] !== lineFeed) return null;
    this.#left = size;
    this.#expected = 'data';
    return at + 3;
  }

  #readLine(bytes: Buffer, at: number): number {
    const lineEnd = bytes.indexOf(lineFeed, at);
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (this.#line.length + end - at > maxLine) {
      this.#isMalformed = true;
      return at;
    }
    this.#line += bytes.toString('latin1', at, end);
    if (lineEnd >= 0) {
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
