import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';

/** Random tokens that mean nothing by themselves, and are stored as hashes. Their prefix tells one kind from another. */
class TokenKind {
  readonly #prefix: string;
  readonly #length: number;
  readonly #form: RegExp;

  constructor(prefix: string, length: number) {
    this.#prefix = prefix;
    this.#length = length;
    this.#form = new RegExp(`^${prefix}[0-9A-Za-z]{${length}}$`);
  }

  make(randomBytes: RandomBytes): string {
    return `${this.#prefix}${drawText(digitsAndLetters, this.#length, randomBytes)}`;
  }

  /** Whether a text has the form of such a token: any other costs no query. */
  matches(text: string): boolean {
    return this.#form.test(text);
  }
}

/** In the cookie of a session. */
export const sessionTokens = new TokenKind('lns_', 43);
/** In the mailed link that sets a new password. */
export const resetTokens = new TokenKind('lnp_', 43);
/** In the link of an invitation. */
export const invitationTokens = new TokenKind('lni_', 32);

const hour = 60 * 60 * 1000;
/** Milliseconds without use after which a session ends. */
export const sessionLifetime = 30 * 24 * hour;
/** The use of a session is stored once an hour: writing it on each call would make every read a write. */
export const sessionGranularity = hour;
