import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';

const form = /^lns_[0-9A-Za-z]{43}$/;

const hour = 60 * 60 * 1000;
/** A session ends when it wasn't used for so long. */
export const sessionLifetime = 30 * 24 * hour;
/** Its use is kept to the hour: writing it on each call would make every read a write. */
export const sessionGranularity = hour;

/** What the cookie holds. It means nothing by itself, and is stored as a hash. */
export const makeSessionToken = (randomBytes: RandomBytes): string =>
  `lns_${drawText(digitsAndLetters, 43, randomBytes)}`;

/** What can't be one costs no query. */
export const looksLikeSession = (text: string): boolean => form.test(text);
