import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';

const prefix = 'lnt_';
const bodyLength = 32;
const checkLength = 6;
export const keyLength = prefix.length + bodyLength + checkLength;

/** The visible part of a key after its creation. */
export const shownPrefix = (key: string): string => key.slice(0, prefix.length + 6);

export function makeApiKey(randomBytes: RandomBytes): string {
  const body = drawText(digitsAndLetters, bodyLength, randomBytes);
  return `${prefix}${body}${checksum(body)}`;
}

export const looksLikeApiKey = (text: string): boolean => text.startsWith(prefix);

/** Detects a typing error without querying the database. */
export function isWellFormed(key: string): boolean {
  const body = key.slice(prefix.length, -checkLength);
  return body.length === bodyLength && key.slice(-checkLength) === checksum(body);
}

function checksum(body: string): string {
  let rest = Bun.hash.crc32(body);
  let text = '';
  for (let index = 0; index < checkLength; index++) {
    text = digitsAndLetters[rest % digitsAndLetters.length] + text;
    rest = Math.floor(rest / digitsAndLetters.length);
  }
  return text;
}
