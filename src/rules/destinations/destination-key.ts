/**
 * 48 bits of a destination's SHA-256, for finding links by destination. Databases compute the same for existing links
 * (`destinationKey` in `storage/dialect.ts`).
 */
export const destinationKey = (destination: string): number =>
  Bun.CryptoHasher.hash('sha256', destination).readUIntBE(0, 6);
