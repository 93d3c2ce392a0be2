/** Of a hit that is no click, or that no other repeats. */
export const noKey = -1;

const prime = 0x9e37_79b1;
const otherPrime = 0x85eb_ca6b;
const halfOfKey = 2 ** 26;

/** The halves of a hash as integers of 32 bits: taking them apart for every hit would cost more than all the rest of its key. */
export const lowerHalf = (hash: number): number => hash | 0;
export const upperHalf = (hash: number): number => Math.floor(hash / 2 ** 32);

/**
 * What two clicks have in common that are one: 52 bits made of both halves of the visitor's hash (address and user agent under the salt of the
 * day), the link, and hashes of the languages with the client hints, of the referrer and of the query. Nothing of it can be read
 * from the key.
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
