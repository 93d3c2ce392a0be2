import { dayLength, hourLength } from '../rules/durations.ts';
import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';

/** Random tokens without content, which are stored as hashes. Their prefix distinguishes their kinds. */
function tokens(prefix: string, length: number) {
  const form = new RegExp(`^${prefix}[0-9A-Za-z]{${length}}$`);
  return {
    make: (randomBytes: RandomBytes): string => prefix + drawText(digitsAndLetters, length, randomBytes),
    /** Whether a text has the form of such a token: any other needs no query. */
    matches: (text: string): boolean => form.test(text),
  };
}

export const sessionTokens = tokens('lns_', 43);
/** For the mailed link that sets a new password. */
export const resetTokens = tokens('lnp_', 43);
export const invitationTokens = tokens('lni_', 32);

/** Milliseconds without use after which a session ends. */
export const sessionLifetime = 30 * dayLength;
/** The use of a session is stored at most hourly: writing it on each call would make every read a write. */
export const sessionGranularity = hourLength;
