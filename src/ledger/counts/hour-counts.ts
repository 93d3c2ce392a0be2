/**
 * How a link's hour is stored: hits by class in columns, and all other dimensions in one text, `counts`. An entry of it is the
 * dimension's letter, the value, and the number of hits unless it is 1: `d12f3x2`. Two texts are added by concatenation, so a row
 * can be added to without being read.
 *
 * The value 0, the most frequent one, isn't written: an hour's clicks that no entry of a dimension counts have the value 0.
 */

/** By the dimension's code. `x` precedes the number of hits. */
export const dimensionLetters = 'abcdefghijklmnopqrstuvw';
const firstLetter = dimensionLetters.charCodeAt(0);
const times = 'x'.charCodeAt(0);
const zero = '0'.charCodeAt(0);

/** A reason can belong to any class, so the value contains both. */
const maxClasses = 8;
export const reasonValue = (reason: number, ofClass: number): number => reason * maxClasses + ofClass;
export const reasonOf = (value: number): number => Math.floor(value / maxClasses);
export const classOf = (value: number): number => value % maxClasses;

export const countEntry = (dimension: number, value: number, hits: number): string =>
  hits === 1 ? `${dimensionLetters[dimension]}${value}` : `${dimensionLetters[dimension]}${value}x${hits}`;

/** With `only`, a dimension: skipping the others without parsing them takes a fifth of the time. */
export function eachCount(
  counts: string,
  take: (dimension: number, value: number, hits: number) => void,
  only: number | null = null,
): void {
  const letter = only === null ? null : (dimensionLetters[only] ?? '');
  for (let at = 0; at < counts.length; ) {
    if (letter !== null) at = counts.indexOf(letter, at);
    if (at < 0) return;
    const dimension = counts.charCodeAt(at++) - firstLetter;
    let value = 0;
    let digit = counts.charCodeAt(at) - zero;
    for (; digit >= 0 && digit <= 9; digit = counts.charCodeAt(++at) - zero) value = value * 10 + digit;
    let hits = 1;
    if (counts.charCodeAt(at) === times) {
      hits = 0;
      digit = counts.charCodeAt(++at) - zero;
      for (; digit >= 0 && digit <= 9; digit = counts.charCodeAt(++at) - zero) hits = hits * 10 + digit;
    }
    take(dimension, value, hits);
  }
}

/** The same counts with each value once, sorted. */
export function mergeCounts(counts: string): string {
  const values = 2 ** 40;
  const sums = new Map<number, number>();
  eachCount(counts, (dimension, value, hits) => {
    const key = dimension * values + value;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  });
  const keys = Float64Array.from(sums.keys()).sort();
  let text = '';
  for (const key of keys) text += countEntry(Math.floor(key / values), key % values, sums.get(key) ?? 0);
  return text;
}
