import { codewordsOf } from './codewords.ts';
import { type Bits, type Layout, layoutOf, type WithTranspose, wordOf, wordsAcross } from './layout.ts';
import { penaltyOf } from './penalty.ts';
import { versionFor } from './versions.ts';

/** A QR code without the light modules around it. */
export interface QrSymbol {
  /** Modules a side. */
  readonly size: number;
  /** In the order of `layout.ts`. Valid until the next symbol is drawn. */
  readonly bits: Bits;
}

/** Light modules around the symbol, as the standard requires. */
export const quietZone = 4;

const encoder = new TextEncoder();

/** A text in byte mode, at level M, with the mask of the lowest penalty. */
export function qrSymbol(text: string): QrSymbol {
  const bytes = encoder.encode(text);
  const version = versionFor(bytes.length);
  const layout = layoutOf(version);
  const unmasked = bufferFor(layout.size);
  drawData(codewordsOf(bytes, version), layout, unmasked);
  const finish = layout.finishes[bestMask(unmasked, layout)];
  const { bits } = unmasked;
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) ^ (finish?.[at] ?? 0);
  return { size: layout.size, bits };
}

/** Modules outside the symbol are light. */
export const isDark = ({ size, bits }: QrSymbol, x: number, y: number): boolean =>
  x >= 0 && y >= 0 && x < size && y < size && (((bits[wordOf(size, x, y)] ?? 0) >>> (x & 31)) & 1) === 1;

function drawData(
  codewords: Uint8Array,
  { fixed, order, orderTransposed }: Layout,
  { bits, transposed }: WithTranspose,
): void {
  bits.set(fixed.bits);
  transposed.set(fixed.transposed);
  for (let index = 0; index < codewords.length; index++) {
    // From the highest bit down, the dark modules only.
    for (let left = codewords[index] ?? 0; left !== 0; ) {
      const bit = Math.clz32(left) - 24;
      left ^= 128 >>> bit;
      const at = order[8 * index + bit] ?? 0;
      bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
      const atTransposed = orderTransposed[8 * index + bit] ?? 0;
      transposed[atTransposed >>> 5] = (transposed[atTransposed >>> 5] ?? 0) | (1 << (atTransposed & 31));
    }
  }
}

function bestMask(unmasked: WithTranspose, { size, masks }: Layout): number {
  let best = 0;
  let min = Number.POSITIVE_INFINITY;
  for (let number = 0; number < masks.length; number++) {
    const mask = masks[number];
    if (!mask) continue;
    const penalty = penaltyOf(unmasked, mask, size, min);
    if (penalty < min) {
      min = penalty;
      best = number;
    }
  }
  return best;
}

/** One of each size, reused for each symbol. */
const buffers = new Map<number, WithTranspose>();

function bufferFor(size: number): WithTranspose {
  const known = buffers.get(size);
  if (known) return known;
  const words = wordsAcross(size) * size;
  const buffer = { bits: new Int32Array(words), transposed: new Int32Array(words) };
  buffers.set(size, buffer);
  return buffer;
}
