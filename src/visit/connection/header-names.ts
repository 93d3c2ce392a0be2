import { smallLetter } from './header-bytes.ts';

/** No name that is looked for is as long. */
const tooLong = 32;

/** Names of headers to be found among many others. Told apart by length and first letter first: most are of no interest. */
export class HeaderNames {
  /** A name's number, where names of its length and first letter have it; two that have the same have none. */
  readonly #numbers = new Uint8Array(tooLong * 32);
  readonly #names: Uint8Array[] = [];

  /** Given in small letters. Its number, from 1 on. */
  add(name: string): number {
    const bytes = Buffer.from(name);
    const number = this.#names.push(bytes);
    const place = placeOf(bytes.length, bytes[0] ?? 0);
    if (this.#numbers[place] !== 0) throw new Error(`${name} is as long as another, and begins as it does`);
    this.#numbers[place] = number;
    return number;
  }

  /** The number of the name that is laid out between these places; 0 for any other. */
  find(start: number, end: number): number {
    const length = end - start;
    if (length >= tooLong) return 0;
    const number = this.#numbers[placeOf(length, smallLetter(start))] as number;
    if (number === 0) return 0;
    const name = this.#names[number - 1] as Uint8Array;
    for (let at = 0; at < length; at++) if (smallLetter(start + at) !== name[at]) return 0;
    return number;
  }
}

const placeOf = (length: number, firstLetter: number): number => (length << 5) | (firstLetter & 31);
