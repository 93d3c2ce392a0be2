import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';

/** Random tokens that mean nothing by themselves, and are stored as hashes. Their prefix tells one kind from another. */
function tokens(prefix: string, length: number) {
  const form = new RegExp(`^${prefix}[0-9A-Za-z]{${length}}$`);
  return {
    make: (randomBytes: RandomBytes): string => prefix + drawText(digitsAndLetters, length, randomBytes),
    /** Whether a text has the form of such a token: any other costs no query. */
    matches: (text: string): boolean => form.test(text),
  };
}

/** In the cookie of a session. */
export const sessionTokens = tokens('lns_', 43);
/** In the mailed link that sets a new password. */
export const resetTokens = tokens('lnp_', 43);
/** In the link of an invitation. */
export const invitationTokens = tokens('lni_', 32);

const hour = 60 * 60 * 1000;
/** Milliseconds without use after which a session ends. */
export const sessionLifetime = 30 * 24 * hour;
/** The use of a session is stored once an hour: writing it on each call would make every read a write. */
export const sessionGranularity = hour;
