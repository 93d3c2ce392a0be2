/** For hits that aren't clicks, or can't be repeated. */
export const noKey = -1;

const prime = 0x9e37_79b1;
const otherPrime = 0x85eb_ca6b;
const halfOfKey = 2 ** 26;

/** The halves of a hash as 32-bit integers: splitting them for every hit would cost more than the rest of its key. */
export const lowerHalf = (hash: number): number => hash | 0;
export const upperHalf = (hash: number): number => Math.floor(hash / 2 ** 32);

/**
 * The common part of two clicks that count as one: 52 bits from both halves of the visitor's hash (address and user agent under
 * the salt of the day), the link, and hashes of the languages with the client hints, of the referrer and of the query. None of
 * these can be read from the key.
 */
export function repeatKey(
  lower: number,
  upper: number,
  linkId: number,
  languages: number,
  referer: number,
  query: number,
): number {
  let one = Math.imul(lower ^ languages, prime);
  one = Math.imul(one ^ (one >>> 15) ^ linkId, otherPrime);
  one = Math.imul(one ^ (one >>> 13) ^ referer, prime);
  one = Math.imul(one ^ (one >>> 16) ^ query, otherPrime);
  let other = Math.imul(upper ^ query, otherPrime);
  other = Math.imul(other ^ (other >>> 13) ^ referer ^ lower, prime);
  other = Math.imul(other ^ (other >>> 15) ^ linkId, otherPrime);
  other = Math.imul(other ^ (other >>> 16) ^ languages, prime);
  return ((one ^ (one >>> 14)) >>> 6) * halfOfKey + ((other ^ (other >>> 14)) >>> 6);
}
