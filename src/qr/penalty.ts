import { type Turned, wordsAcross } from './layout.ts';

/**
 * How much there is in a symbol that readers stumble over (ISO/IEC 18004, 7.8.3): the mask with the least of it is taken.
 * Once it is as much as `limit`, how much more doesn't matter.
 */
export function penaltyOf({ bits, turned }: Turned, size: number, limit: number): number {
  const runs = runsIn(bits, size) + runsIn(turned, size);
  if (runs >= limit) return runs;
  const flat = runs + 3 * boxesIn(bits, size) + 10 * unevenness(bits, size);
  if (flat >= limit) return flat;
  return flat + 40 * (finderLikesIn(bits, size) + finderLikesIn(turned, size));
}

/** The columns of a word that are there. */
const columnsIn = (word: number, size: number): number =>
  size - 32 * word >= 32 ? -1 : (1 << (size - 32 * word)) - 1;

const row = (bits: Int32Array, at: number): number => bits[at] ?? 0;

/** Runs of five and more in one colour, down each column: 3 for five, 1 more for each more. */
function runsIn(bits: Int32Array, size: number): number {
  let found = 0;
  for (let word = 0; word < wordsAcross(size); word++) {
    const columns = columnsIn(word, size);
    let at = word * size;
    const end = at + size;
    // Where a row differs from the one above it; above the first row is nothing like it.
    let before = -1;
    let [last, one, two, three] = [row(bits, at + 3), 0, 0, 0];
    one = row(bits, at) ^ row(bits, at + 1);
    two = row(bits, at + 1) ^ row(bits, at + 2);
    three = row(bits, at + 2) ^ last;
    for (at += 4; at < end; at++) {
      const next = row(bits, at);
      const four = last ^ next;
      const five = ~(one | two | three | four) & columns;
      if (five !== 0) {
        found += onesIn(five);
        const begun = five & before;
        if (begun !== 0) found += 2 * onesIn(begun);
      }
      before = one;
      one = two;
      two = three;
      three = four;
      last = next;
    }
  }
  return found;
}

/** Squares of two by two in one colour, overlapping ones too. */
function boxesIn(bits: Int32Array, size: number): number {
  let found = 0;
  const words = wordsAcross(size);
  for (let word = 0; word < words; word++) {
    const isLast = word === words - 1;
    const columns = isLast ? columnsIn(word, size) >>> 1 : -1;
    const start = word * size;
    let above = row(bits, start);
    let aboveDiffers = above ^ ((above >>> 1) | (isLast ? 0 : row(bits, start + size) << 31));
    for (let at = start + 1; at < start + size; at++) {
      const here = row(bits, at);
      const differs = here ^ ((here >>> 1) | (isLast ? 0 : row(bits, at + size) << 31));
      const boxes = ~((above ^ here) | aboveDiffers | differs) & columns;
      if (boxes !== 0) found += onesIn(boxes);
      above = here;
      aboveDiffers = differs;
    }
  }
  return found;
}

/** Steps of 5 % by which dark modules are more or fewer than half. */
function unevenness(bits: Int32Array, size: number): number {
  let dark = 0;
  for (let at = 0; at < bits.length; at++) dark += onesIn(row(bits, at));
  const all = size * size;
  return Math.ceil(Math.max(0, Math.abs(20 * dark - 10 * all) - all) / all);
}

/** What looks like a finder, 1011101, with four light modules before or behind it, down each column. */
function finderLikesIn(bits: Int32Array, size: number): number {
  let found = 0;
  for (let word = 0; word < wordsAcross(size); word++) {
    const start = word * size;
    const end = start + size;
    let [first, second, third] = [row(bits, start), row(bits, start + 1), row(bits, start + 2)];
    let [fourth, fifth, sixth] = [row(bits, start + 3), row(bits, start + 4), row(bits, start + 5)];
    for (let at = start + 6; at < end; at++) {
      const seventh = row(bits, at);
      const like = first & ~second & third & fourth & fifth & ~sixth & seventh;
      if (like !== 0) {
        if (at >= start + 10) found += onesIn(like & ~fourIn(bits, at - 10));
        if (at + 4 < end) found += onesIn(like & ~fourIn(bits, at + 1));
      }
      first = second;
      second = third;
      third = fourth;
      fourth = fifth;
      fifth = sixth;
      sixth = seventh;
    }
  }
  return found;
}

const fourIn = (bits: Int32Array, at: number): number =>
  row(bits, at) | row(bits, at + 1) | row(bits, at + 2) | row(bits, at + 3);

function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
