import { outcomes, targets } from './codes.ts';
import type { RawHit } from './enrich.ts';
import { doNotTrackMark } from './journal-record.ts';

const prime = 0x0100_0193;
const zero = '0'.charCodeAt(0);
const lineBreak = '\n'.charCodeAt(0);
const mark = doNotTrackMark.charCodeAt(0);

/** Who may have sent the next hit as well: a piece of a hit as `person` gave it, and where its lines begin in it. */
export interface KnownPiece {
  readonly key: string;
  readonly lines: PieceLines;
}

export interface PieceLines {
  readonly address: number;
  readonly agent: number;
  readonly language: number;
}

/**
 * Goes from hit to hit through a record's bytes. Numbers are read in place and texts are cut out when they are asked
 * for: most of them are known from an earlier hit by a longer piece that they are part of.
 */
export class HitCursor {
  at = 0;
  linkId = 0;
  organizationId = 0;
  /** Places in the lists of `codes.ts`. */
  outcome = 0;
  target = 0;
  doNotTrack = false;
  /** Who sent the hit before: one look at its bytes is less than a walk from line to line. */
  expected: KnownPiece | null = null;
  /** Whether it was who was expected. */
  isExpected = false;
  /** Who was expected and came: what is compared again and again is compared four bytes at a time. */
  #familiar: KnownPiece | null = null;
  #familiarBytes = viewOf(Buffer.alloc(0));
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  #here = 0;
  #method = 0;
  #address = 0;
  #agent = 0;
  #language = 0;
  #referer = 0;
  #query = 0;
  #purpose = 0;
  #hint = 0;

  /** To a record's first hit; `next` says whether there is one. */
  begin(record: Buffer): void {
    this.#bytes = record;
    this.#view = viewOf(record);
    this.#here = 0;
  }

  next(): boolean {
    if (this.#here >= this.#bytes.length) return false;
    this.at = this.#number();
    this.linkId = this.#number();
    this.organizationId = this.#number();
    this.#readCodes();
    this.#method = this.#here;
    this.isExpected = this.expected !== null && this.#passes(this.expected);
    if (!this.isExpected) {
      this.#address = this.#afterLine();
      this.#agent = this.#afterLine();
      this.#language = this.#afterLine();
      this.#referer = this.#afterLine();
    }
    this.#query = this.#afterLine();
    this.#purpose = this.#afterLine();
    this.#hint = this.#afterLine();
    this.#afterLine();
    return true;
  }

  /** Whether there is no query, no purpose and no country: most hits have none, and needn't be asked for each. */
  get isPlain(): boolean {
    return this.#here - this.#query === 3;
  }

  /** All that says who it was: method, address, user agent, languages; a sign a byte. */
  get person(): string {
    return this.#bytes.toString('latin1', this.#method, this.#referer - 1);
  }

  get personSize(): number {
    return this.#referer - 1 - this.#method;
  }

  /** Whether it is one that `person` gave. */
  isPerson(person: string): boolean {
    return this.personSize === person.length && this.#isHere(person, this.#method);
  }

  get personLines(): PieceLines {
    const start = this.#method;
    return { address: this.#address - start, agent: this.#agent - start, language: this.#language - start };
  }

  /** Of the method, the address, and some of the rest: enough to spread, in a tenth of the time that all would take. */
  get personHash(): number {
    const bytes = this.#bytes;
    const end = this.#referer;
    let hash = end - this.#method;
    for (let at = this.#method; at < this.#agent; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), prime);
    for (let at = this.#agent; at < end; at += 4) hash = Math.imul(hash ^ (bytes[at] ?? 0), prime);
    return hash ^ (hash >>> 15);
  }

  get method(): string {
    return this.#cut(this.#method, this.#address);
  }

  get address(): string {
    return this.#cut(this.#address, this.#agent);
  }

  get userAgent(): string {
    return this.#cut(this.#agent, this.#language);
  }

  get acceptLanguage(): string {
    return this.#cut(this.#language, this.#referer);
  }

  get referer(): string {
    return this.#cut(this.#referer, this.#query);
  }

  get query(): string {
    return this.#cut(this.#query, this.#purpose);
  }

  get purpose(): string {
    return this.#cut(this.#purpose, this.#hint);
  }

  get countryHint(): string {
    return this.#cut(this.#hint, this.#here);
  }

  get hit(): RawHit {
    const target = targets[this.target] ?? 'none';
    return {
      linkId: this.linkId,
      organizationId: this.organizationId,
      at: this.at,
      outcome: outcomes[this.outcome] ?? 'redirect',
      target: target === 'none' ? null : target,
      method: this.method,
      address: this.address,
      userAgent: this.userAgent,
      acceptLanguage: this.acceptLanguage,
      referer: this.referer,
      query: this.query,
      purpose: this.purpose,
      doNotTrack: this.doNotTrack,
      countryHint: this.countryHint,
    };
  }

  /** The text of a line that ends before `next`. */
  #cut(start: number, next: number): string {
    return next - start <= 1 ? '' : this.#bytes.toString('utf8', start, next - 1);
  }

  #number(): number {
    const bytes = this.#bytes;
    let at = this.#here;
    let number = 0;
    for (;;) {
      const digit = (bytes[at++] ?? 0) - zero;
      if (!(digit >= 0 && digit <= 9)) break;
      number = number * 10 + digit;
    }
    const start = this.#here;
    this.#here = at;
    if (bytes[at - 1] === lineBreak) return number;
    // No clock of ours gives a fraction or a time before 1970: a test's may.
    this.#here = start;
    return Number(this.#cut(start, this.#afterLine()));
  }

  /** Whether this piece and the end of its last line are here; then it is behind them. */
  #passes(piece: KnownPiece): boolean {
    const { key, lines } = piece;
    const start = this.#here;
    const end = start + key.length;
    if (this.#bytes[end] !== lineBreak) return false;
    if (piece === this.#familiar) {
      if (!this.#isFamiliarHere(start)) return false;
    } else {
      if (!this.#isHere(key, start)) return false;
      this.#familiar = piece;
      this.#familiarBytes = viewOf(Buffer.from(this.#bytes.subarray(start, end)));
    }
    this.#address = start + lines.address;
    this.#agent = start + lines.agent;
    this.#language = start + lines.language;
    this.#referer = end + 1;
    this.#here = end + 1;
    return true;
  }

  #isHere(key: string, start: number): boolean {
    const bytes = this.#bytes;
    for (let at = 0; at < key.length; at++) if (bytes[start + at] !== key.charCodeAt(at)) return false;
    return true;
  }

  /** The record has so many bytes from here on. */
  #isFamiliarHere(start: number): boolean {
    const view = this.#view;
    const familiar = this.#familiarBytes;
    const length = familiar.byteLength;
    let at = 0;
    for (; at + 4 <= length; at += 4) if (view.getInt32(start + at) !== familiar.getInt32(at)) return false;
    for (; at < length; at++) if (view.getUint8(start + at) !== familiar.getUint8(at)) return false;
    return true;
  }

  #readCodes(): void {
    const bytes = this.#bytes;
    this.outcome = (bytes[this.#here] ?? 0) - zero;
    this.target = (bytes[this.#here + 1] ?? 0) - zero;
    this.doNotTrack = bytes[this.#here + 2] === mark;
    this.#here += this.doNotTrack ? 4 : 3;
  }

  /** Passes a line; where the next one begins. */
  #afterLine(): number {
    const bytes = this.#bytes;
    let at = this.#here;
    while (at < bytes.length && bytes[at] !== lineBreak) at++;
    this.#here = at + 1;
    return this.#here;
  }
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
