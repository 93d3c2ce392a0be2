/** Symbols with error correction of level M, which survives the loss of about 15 %: suitable for print on paper. */
export interface Version {
  readonly number: number;
  /** Modules a side. */
  readonly size: number;
  /** The number of blocks into which data and error correction are split; the longer ones come last. */
  readonly blocks: number;
  readonly correctionPerBlock: number;
  readonly dataBytes: number;
  /** The number of bits of the length before the text. */
  readonly lengthBits: number;
}

/** ISO/IEC 18004, table 9, level M. */
// biome-ignore format: ten versions a line
const correctionPerBlock = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26,
  30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
  26, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
];
// biome-ignore format: ten versions a line
const blocks = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5,
  5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
  17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
  31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];

const versions: readonly Version[] = blocks.map((count, index) => {
  const number = index + 1;
  const perBlock = correctionPerBlock[index] ?? 0;
  return {
    number,
    size: 17 + 4 * number,
    blocks: count,
    correctionPerBlock: perBlock,
    dataBytes: Math.floor(modulesForData(number) / 8) - count * perBlock,
    lengthBits: number < 10 ? 8 : 16,
  };
});

/** The smallest version that holds this many bytes of text. */
export function versionFor(textBytes: number): Version {
  const found = versions.find(({ dataBytes, lengthBits }) => 4 + lengthBits + 8 * textBytes <= 8 * dataBytes);
  if (!found) throw new RangeError(`${textBytes} bytes are more than a QR code holds`);
  return found;
}

/** The number of modules left by finders, timing, alignment, format and version. */
function modulesForData(version: number): number {
  const square = (16 * version + 128) * version + 64;
  if (version < 2) return square;
  const alignments = Math.floor(version / 7) + 2;
  return square - ((25 * alignments - 10) * alignments - 55) - (version < 7 ? 0 : 36);
}

/** The coordinates of the centres of alignment patterns, in both directions. */
export function alignmentCentres({ number, size }: Version): number[] {
  if (number === 1) return [];
  const count = Math.floor(number / 7) + 2;
  const step = number === 32 ? 26 : 2 * Math.ceil((4 * number + 4) / (2 * count - 2));
  const centres = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step);
  return [6, ...centres.reverse()];
}
