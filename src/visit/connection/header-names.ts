import { lowerCase } from './header-bytes.ts';

/** Longer than every name that is searched for. */
const tooLong = 32;

/** Finds header names of interest among many others, by a table of length and first letter: most are of no interest. */
export class HeaderNames {
  /** The number of the name with this length and first letter. No two names may have both in common. */
  readonly #numbers = new Uint8Array(tooLong * 32);
  readonly #names: Uint8Array[] = [];

  /** Adds a name in lower case, and returns its number, from 1 on. */
  add(name: string): number {
    const bytes = Buffer.from(name);
    const number = this.#names.push(bytes);
    const index = indexOf(bytes.length, bytes[0] ?? 0);
    if (this.#numbers[index] !== 0) throw new Error(`${name} is as long as another, and begins as it does`);
    this.#numbers[index] = number;
    return number;
  }

  /** The number of the name between these indexes of the copied head; 0 for any other. */
  find(start: number, end: number): number {
    const length = end - start;
    if (length >= tooLong) return 0;
    const number = this.#numbers[indexOf(length, lowerCase(start))] as number;
    if (number === 0) return 0;
    const name = this.#names[number - 1] as Uint8Array;
    for (let at = 0; at < length; at++) if (lowerCase(start + at) !== name[at]) return 0;
    return number;
  }
}

const indexOf = (length: number, firstLetter: number): number => (length << 5) | (firstLetter & 31);
