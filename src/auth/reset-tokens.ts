import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';

const form = /^lnp_[0-9A-Za-z]{43}$/;

/** What stands in the mail. It means nothing by itself, and is stored as a hash. */
export const makeResetToken = (randomBytes: RandomBytes): string =>
  `lnp_${drawText(digitsAndLetters, 43, randomBytes)}`;

/** What can't be one costs no query. */
export const looksLikeReset = (text: string): boolean => form.test(text);
