import { type Bits, type WithTranspose, wordsAcross } from './layout.ts';

/**
 * The penalty of a symbol under a mask, for patterns that are hard to read (ISO/IEC 18004, 7.8.3): the mask with the
 * lowest one is used. Counting stops once it reaches `limit`.
 *
 * Most of the time to draw a code is spent on this. So nothing is allocated, and frequent patterns are counted without
 * testing first whether there are any: a mispredicted branch costs more.
 */
export function penaltyOf(unmasked: WithTranspose, mask: WithTranspose, size: number, limit: number): number {
  const down = linesIn(unmasked.bits, mask.bits, size);
  const flat = down + 3 * boxesIn(unmasked.bits, mask.bits, size);
  if (flat >= limit) return flat;
  const lines = flat + linesIn(unmasked.transposed, mask.transposed, size);
  return lines >= limit ? lines : lines + 10 * unevenness(unmasked.bits, mask.bits, size);
}

/** A bit for each column of a word that is part of the symbol. */
const columnsIn = (word: number, size: number): number =>
  size - 32 * word >= 32 ? -1 : (1 << (size - 32 * word)) - 1;

const row = (bits: Bits, mask: Bits, at: number): number => (bits[at] ?? 0) ^ (mask[at] ?? 0);

/**
 * Down each column: runs of five and more in one colour, 3 for five and 1 more for each more; and what looks like a
 * finder, 1011101, with four light modules before or after it, 40 for each.
 */
function linesIn(bits: Bits, mask: Bits, size: number): number {
  let penalty = 0;
  for (let word = 0; word < wordsAcross(size); word++) {
    const columns = columnsIn(word, size);
    const start = word * size;
    const end = start + size;
    let above = row(bits, mask, start);
    // Columns in which the last two, three, four and five modules are alike.
    let two = 0;
    let three = 0;
    let four = 0;
    let five = 0;
    // Columns whose last modules are 10, 101, 1011, 10111 and 101110.
    let finder2 = 0;
    let finder3 = 0;
    let finder4 = 0;
    let finder5 = 0;
    let finder6 = 0;
    for (let at = start + 1; at < end; at++) {
      const current = row(bits, mask, at);
      const same = ~(current ^ above) & columns;
      const run = four & same;
      penalty += runsIn(run, run & ~five);
      five = run;
      four = three & same;
      three = two & same;
      two = same;
      const finder = finder6 & current;
      finder6 = finder5 & ~current;
      finder5 = finder4 & current;
      finder4 = finder3 & current;
      finder3 = finder2 & current;
      finder2 = above & ~current;
      above = current;
      if (finder === 0) continue;
      if (at >= start + 10) penalty += 40 * onesIn(finder & ~darkInFourRows(bits, mask, at - 10));
      if (at + 4 < end) penalty += 40 * onesIn(finder & ~darkInFourRows(bits, mask, at + 1));
    }
  }
  return penalty;
}

/** Squares of two by two modules in one colour; they may overlap. */
function boxesIn(bits: Bits, mask: Bits, size: number): number {
  let count = 0;
  const words = wordsAcross(size);
  for (let word = 0; word < words; word++) {
    const isLast = word === words - 1;
    const columns = isLast ? columnsIn(word, size) >>> 1 : -1;
    const start = word * size;
    let above = row(bits, mask, start);
    let aboveDiffers = above ^ ((above >>> 1) | (isLast ? 0 : row(bits, mask, start + size) << 31));
    for (let at = start + 1; at < start + size; at++) {
      const current = row(bits, mask, at);
      const differs = current ^ ((current >>> 1) | (isLast ? 0 : row(bits, mask, at + size) << 31));
      const boxes = ~((above ^ current) | aboveDiffers | differs) & columns;
      if (boxes !== 0) count += onesIn(boxes);
      above = current;
      aboveDiffers = differs;
    }
  }
  return count;
}

/** By how many steps of 5 % the share of dark modules differs from half. */
function unevenness(bits: Bits, mask: Bits, size: number): number {
  let dark = 0;
  for (let at = 0; at < bits.length; at++) dark += onesIn(row(bits, mask, at));
  const all = size * size;
  return Math.ceil(Math.max(0, Math.abs(20 * dark - 10 * all) - all) / all);
}

/** A bit for each column with a dark module in these four rows. */
const darkInFourRows = (bits: Bits, mask: Bits, at: number): number =>
  row(bits, mask, at) | row(bits, mask, at + 1) | row(bits, mask, at + 2) | row(bits, mask, at + 3);

const onesIn = (word: number): number => {
  const nibbles = onesInNibbles(word);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** The bits set in the first word, plus twice those in the second. */
function runsIn(all: number, begun: number): number {
  const nibbles = onesInNibbles(all) + 2 * onesInNibbles(begun);
  return Math.imul((nibbles & 0x0f0f0f0f) + ((nibbles >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}

/** How many bits are set in each nibble. */
function onesInNibbles(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
}
