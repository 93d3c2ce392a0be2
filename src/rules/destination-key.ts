/**
 * 48 bits of a destination's SHA-256: links that lead there are found by it. Databases compute the same for links that were
 * there before (`destinationKey` in `storage/dialect.ts`).
 */
export const destinationKey = (destination: string): number =>
  Bun.CryptoHasher.hash('sha256', destination).readUIntBE(0, 6);
