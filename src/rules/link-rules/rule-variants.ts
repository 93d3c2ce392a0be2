export interface Variant {
  readonly id: string;
  readonly to: string;
  readonly weight: number;
  /** Of link, rule and variant together. */
  readonly seed: number;
}

/** 32 bits, each of which depends on every input bit. */
function mix(bits: number): number {
  let mixed = bits | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export function seedOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return mix(hash);
}

/**
 * Weighted rendezvous hashing: each variant gets a hash of its own for the visitor, which its weight turns into a wait; the
 * shortest wins. Changing weights changes no hash, so only those visitors move that have to.
 */
export function variantFor(variants: readonly Variant[], visitorHash: number): Variant | null {
  let best: Variant | null = null;
  let shortest = Number.POSITIVE_INFINITY;
  for (const variant of variants) {
    if (variant.weight <= 0) continue;
    const uniform = (mix(mix(visitorHash ^ variant.seed) + variant.seed) + 0.5) / 0x1_0000_0000;
    const wait = -Math.log(uniform) / variant.weight;
    if (wait < shortest) [best, shortest] = [variant, wait];
  }
  return best;
}

/** At random: `drawn` is a number from 0 to 1. */
export function variantBy(variants: readonly Variant[], drawn: number): Variant | null {
  let left = drawn * variants.reduce((sum, { weight }) => sum + weight, 0);
  for (const variant of variants) {
    left -= variant.weight;
    if (left < 0) return variant;
  }
  return variants.findLast(({ weight }) => weight > 0) ?? null;
}
