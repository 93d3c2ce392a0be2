import { readChunks } from './raw-http.ts';

export interface ReadResponse {
  readonly status: number;
  readonly location: string | null;
  /** The response says `Connection: close`. */
  readonly closes: boolean;
}

/** Parses HTTP responses from a stream of chunks; throws at anything else. */
export class ResponseReader {
  readonly #isBodyless: (index: number) => boolean;
  #text = '';
  #count = 0;

  /** `isBodyless` tells whether the response to the request with this index has no body, as for HEAD. */
  constructor(isBodyless: (index: number) => boolean) {
    this.#isBodyless = isBodyless;
  }

  /** The bytes of an incomplete response. */
  get rest(): string {
    return this.#text;
  }

  take(chunk: string): ReadResponse[] {
    this.#text += chunk;
    const responses: ReadResponse[] = [];
    let offset = 0;
    for (;;) {
      const headEnd = this.#text.indexOf('\r\n\r\n', offset);
      if (headEnd < 0) break;
      const head = this.#text.slice(offset, headEnd + 2);
      const [, status] = /^HTTP\/1\.1 ([1-5]\d\d) [^\r]*\r\n/.exec(head) ?? [];
      if (status === undefined) throw new Error(`no answer: ${head.slice(0, 200)}`);
      const end = this.#bodyEnd(head, headEnd + 4, Number(status));
      if (end === null) break;
      responses.push({
        status: Number(status),
        location: /\r\nlocation: ([^\r]*)\r\n/i.exec(head)?.[1] ?? null,
        closes: /\r\nconnection: *close\r\n/i.test(head),
      });
      this.#count += 1;
      offset = end;
    }
    this.#text = this.#text.slice(offset);
    return responses;
  }

  #bodyEnd(head: string, start: number, status: number): number | null {
    if (this.#isBodyless(this.#count) || status === 204 || status === 304) return start;
    if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) return readChunks(this.#text, start)?.[1] ?? null;
    const end = start + Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1] ?? 0);
    return this.#text.length < end ? null : end;
  }
}
