import type { Problem } from './errors.ts';
import { invisibleIn, trimInvisible } from './invisible.ts';
import { drawText, type RandomBytes } from './random-text.ts';
import { reservedSegments, sharedSegments } from './service-paths.ts';

/** Without the characters that people mistake for one another: 0 O o, 1 l I i. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const randomLength = 7;
const maximumLength = 255;

/**
 * Letters, marks and digits of any script, emoji with their joiners and selectors, and some plain symbols. Fillers and other
 * invisible letters are excluded. One class instead of several: if two of those share a character, refusing a long run of it
 * takes exponential time.
 */
const segment =
  /^[[[\p{L}\p{M}\p{N}]--\p{Default_Ignorable_Code_Point}]\-_.~\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\ufe0f\u20e3\u{e0020}-\u{e007f}]+$/v;

/**
 * Characters that are only visible together with another one. Anywhere else they would make two suffixes look the same: a mark
 * with nothing before it, a joiner that joins no emoji, a selector on a letter, tags without their flag.
 */
const invisibleAlone = [
  /^\p{M}/u,
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\u{e007f})\u200d|\u200d(?!\p{Extended_Pictographic})/u,
  /(?<!\p{Extended_Pictographic})\ufe0f(?!\u20e3)|(?<![\p{Extended_Pictographic}0-9])\ufe0f/u,
  /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007f}]|[\u{e0020}-\u{e007e}](?![\u{e0020}-\u{e007f}])/u,
];

/** Looked up instead of a suffix: any link of the domain that forwards longer paths. */
export const anyForwarding = '';

/** A character decomposes into four at most. */
const maxDecomposed = 4 * maximumLength;
/** Of a suffix before it is normalised: a letter may absorb the first three. */
const maxMarksInRow = maximumLength + 3;

/**
 * Normalising sorts marks in a row, which takes a time quadratic in their number, and visitors choose the text: one that can be no
 * suffix in any form is returned as it is, and is too long for `isSuffix`.
 */
export const normaliseSuffix = (suffix: string): string =>
  mayBeSuffix(suffix) ? suffix.normalize('NFC') : suffix;

const mayBeSuffix = (text: string): boolean =>
  countsAtMost(text, maxDecomposed) &&
  (text.match(/\p{M}+/gu) ?? []).every((marks) => countsAtMost(marks, maxMarksInRow));

/** A suffix as a user entered or pasted it. */
export const enteredSuffix = (text: string): string => normaliseSuffix(trimInvisible(text));

/** Whether a suffix, already normalised, could be that of a link. Cheap: called for every unknown path. */
export const isSuffix = (suffix: string): boolean =>
  isShortEnough(suffix) && suffix.split('/').every(isSegment);

const isSegment = (part: string): boolean =>
  part !== '.' &&
  part !== '..' &&
  segment.test(part) &&
  !invisibleAlone.some((pattern) => pattern.test(part));

const isShortEnough = (suffix: string): boolean => countsAtMost(suffix, maximumLength);

/** Counts characters; many emoji are two or more UTF-16 units. */
const countsAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

export function checkSuffix(suffix: string, onDefaultDomain: boolean): Problem | null {
  if (!isSuffix(suffix)) {
    return {
      code: 'SUFFIX_INVALID',
      field: 'suffix',
      sentence:
        invisibleIn(suffix) ??
        `A suffix has 1 to ${maximumLength} characters: letters, digits, emoji, - _ . ~, and / between parts that are not empty.`,
    };
  }
  const first = (suffix.split('/', 1)[0] ?? '').toLowerCase();
  if ((onDefaultDomain ? reservedSegments : sharedSegments).has(first)) {
    return {
      code: 'SUFFIX_RESERVED',
      field: 'suffix',
      sentence: `"${first}" is a path of the service itself. Choose another suffix.`,
    };
  }
  return null;
}

/** The database decides whether it is free. */
export const randomSuffix = (randomBytes: RandomBytes): string =>
  drawText(alphabet, randomLength, randomBytes);
