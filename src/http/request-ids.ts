import { randomFillSync } from 'node:crypto';

const length = 12;
const idsPerFill = 256;

/**
 * Ids for requests: random, so that they reveal neither the client nor the number of requests. Each is cut from one text of
 * random characters, which takes some nanoseconds.
 */
export class RequestIds {
  readonly #bytes = Buffer.alloc((length * idsPerFill * 3) / 4);
  #text = '';
  #at = 0;

  next(): string {
    if (this.#at === this.#text.length) {
      this.#text = randomFillSync(this.#bytes).toString('base64url');
      this.#at = 0;
    }
    const at = this.#at;
    this.#at = at + length;
    return this.#text.slice(at, at + length);
  }
}
