import { headText, mixed, wordAt } from './header-bytes.ts';

const slots = 512;
const wordLength = 4;
/** Longer texts are rarely repeated. */
const maxLength = 256;
const maxWords = maxLength / wordLength;

/**
 * Header values that many requests have in common: a text whose bytes are found here isn't decoded again, which saves 20 to 30 ns and
 * its memory. Each slot has the latest text with its hash.
 */
export class FrequentTexts {
  readonly #texts: string[] = new Array(slots).fill('');
  readonly #words = new Int32Array(slots * maxWords);

  /** The text between these indexes of the copied head. */
  get(from: number, to: number): string {
    const length = to - from;
    if (length < wordLength || length > maxLength) return headText(from, to);
    const hash = mixed(length, from, to);
    const slot = (hash ^ (hash >>> 16)) & (slots - 1);
    const text = this.#texts[slot] as string;
    return text.length === length && this.#hasBytes(slot, from, to) ? text : this.#keep(slot, from, to);
  }

  #hasBytes(slot: number, from: number, to: number): boolean {
    let word = slot * maxWords;
    const last = to - wordLength;
    for (let at = from; at < last; at += wordLength, word++)
      if (wordAt(at) !== this.#words[word]) return false;
    return wordAt(last) === this.#words[word];
  }

  #keep(slot: number, from: number, to: number): string {
    let word = slot * maxWords;
    const last = to - wordLength;
    for (let at = from; at < last; at += wordLength, word++) this.#words[word] = wordAt(at);
    this.#words[word] = wordAt(last);
    const text = headText(from, to);
    this.#texts[slot] = text;
    return text;
  }
}
