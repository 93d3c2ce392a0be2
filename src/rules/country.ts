export const unknownCountry = 'XX';

/** Two letters, in upper case. Null for anything else, and for the codes that stand for "unknown". */
export function countryCode(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[a-z]{2}$/i.test(value)) return null;
  const code = value.toUpperCase();
  return code === unknownCountry || code === 'ZZ' ? null : code;
}
