import { wordAt } from './header-bytes.ts';

const wordLength = 4;
const buckets = 64;

/** A name in lower case with its colon. */
interface Name {
  /** Without the colon. */
  readonly length: number;
  /** All bytes but the last ones, in words of four. */
  readonly words: readonly number[];
  /** For each word, the bits that distinguish its letters from capitals. */
  readonly caseBits: readonly number[];
  /** The last four bytes, some of which may be in the words as well. */
  readonly lastWord: number;
  readonly lastCaseBits: number;
  /** The number of the previous name in the same bucket, or 0. */
  readonly previous: number;
}

/**
 * Finds header names of interest among others, by a hash table of their first four bytes. Names are compared four bytes at a time, which
 * needs neither their text nor their end.
 */
export class HeaderNames {
  /** The number of the latest name in each bucket, or 0. */
  readonly #numbers = new Uint8Array(buckets);
  readonly #names: Name[] = [];

  /** Adds a name in lower case, of 3 to `maxNameLength` characters, and returns its number, from 1 on. */
  add(name: string): number {
    const bytes = Buffer.from(`${name}:`);
    const bucket = bucketOf(bytes.readInt32LE(0));
    const words: number[] = [];
    for (let at = 0; at + wordLength < bytes.length; at += wordLength) words.push(bytes.readInt32LE(at));
    const lastWord = bytes.readInt32LE(bytes.length - wordLength);
    const number = this.#names.push({
      length: name.length,
      words,
      caseBits: words.map(caseBitsOf),
      lastWord,
      lastCaseBits: caseBitsOf(lastWord),
      previous: this.#numbers[bucket] as number,
    });
    this.#numbers[bucket] = number;
    return number;
  }

  /** The number of the name that begins at this index of the copied head, and ends with a colon; 0 for any other. */
  find(start: number): number {
    let number = this.#numbers[bucketOf(wordAt(start))] as number;
    while (number !== 0) {
      const name = this.#names[number - 1] as Name;
      if (isNamed(start, name)) return number;
      number = name.previous;
    }
    return 0;
  }

  lengthOf(number: number): number {
    return (this.#names[number - 1] as Name).length;
  }
}

/** Compares the end first, where names with the same beginning differ. */
function isNamed(start: number, { length, words, caseBits, lastWord, lastCaseBits }: Name): boolean {
  if ((wordAt(start + length + 1 - wordLength) | lastCaseBits) !== lastWord) return false;
  for (let index = 0; index < words.length; index++)
    if ((wordAt(start + index * wordLength) | (caseBits[index] as number)) !== words[index]) return false;
  return true;
}

function caseBitsOf(word: number): number {
  let bits = 0;
  for (let shift = 0; shift < 32; shift += 8) if (((word >> shift) & 0xff) >= 0x61) bits |= 0x20 << shift;
  return bits;
}

/** Regardless of case. */
const bucketOf = (word: number): number => Math.imul(word | 0x20202020, 0x9e3779b1) >>> 26;
