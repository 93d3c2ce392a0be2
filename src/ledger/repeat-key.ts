/** Of a hit that is no click, or that no other repeats. */
export const noKey = -1;

const prime = 0x9e37_79b1;
const otherPrime = 0x85eb_ca6b;
const upperHalf = 2 ** 32;
const halfOfKey = 2 ** 26;

/**
 * What two clicks have in common that are one: 52 bits made of the visitor's hash (address and user agent under the salt of the
 * day), the link, and hashes of the languages with the client hints, of the referrer and of the query. Nothing of it can be read
 * from the key.
 */
export function repeatKey(
  visitor: number,
  linkId: number,
  languages: number,
  referer: number,
  query: number,
): number {
  const upper = Math.floor(visitor / upperHalf);
  let one = Math.imul(visitor ^ languages, prime);
  one = Math.imul(one ^ (one >>> 15) ^ linkId, otherPrime);
  one = Math.imul(one ^ (one >>> 13) ^ referer, prime);
  one = Math.imul(one ^ (one >>> 16) ^ query, otherPrime);
  let other = Math.imul(upper ^ query, otherPrime);
  other = Math.imul(other ^ (other >>> 13) ^ referer ^ visitor, prime);
  other = Math.imul(other ^ (other >>> 15) ^ linkId, otherPrime);
  other = Math.imul(other ^ (other >>> 16) ^ languages, prime);
  return ((one ^ (one >>> 14)) >>> 6) * halfOfKey + ((other ^ (other >>> 14)) >>> 6);
}
