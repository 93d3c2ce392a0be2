import { nameWord } from './header-bytes.ts';

/** No name that is looked for is as long. */
const tooLong = 32;

/** Names of headers to be found among many others. Told apart by length and first letter first: most are of no interest. */
export class HeaderNames {
  /** A name's number, where names of its length and first letter have it; two that have the same have none. */
  readonly #numbers = new Uint8Array(tooLong * 32);
  /** Each name with its colon, four letters a word; the last word may repeat some. */
  readonly #words: Int32Array[] = [];

  /** Given in small letters. Its number, from 1 on. */
  add(name: string): number {
    const bytes = Buffer.from(`${name}:`);
    const last = bytes.length - 4;
    const starts = [...Array(Math.ceil(last / 4)).keys()].map((word) => word * 4);
    const number = this.#words.push(Int32Array.from([...starts, last], (at) => bytes.readInt32LE(at)));
    const place = placeOf(name.length, bytes[0] ?? 0);
    if (this.#numbers[place] !== 0) throw new Error(`${name} is as long as another, and begins as it does`);
    this.#numbers[place] = number;
    return number;
  }

  /** The number of the name that is laid out between these places, its colon behind it; 0 for any other. */
  find(start: number, end: number): number {
    if (end - start >= tooLong) return 0;
    const number = this.#numbers[placeOf(end - start, nameWord(start))] as number;
    return number !== 0 && isName(this.#words[number - 1] as Int32Array, start, end) ? number : 0;
  }
}

const placeOf = (length: number, firstLetter: number): number => (length << 5) | (firstLetter & 31);

function isName(words: Int32Array, start: number, end: number): boolean {
  const last = words.length - 1;
  if (words[last] !== nameWord(end - 3)) return false;
  for (let word = 0; word < last; word++) if (words[word] !== nameWord(start + word * 4)) return false;
  return true;
}
