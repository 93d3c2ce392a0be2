import type { Problem } from './errors.ts';
import { drawText, type RandomBytes } from './random-text.ts';

/** Without the characters that people mistake for one another: 0 O o, 1 l I i. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const randomLength = 7;
const maximumLength = 255;

/** The service's own first path segments: on the default domain no link may stand in front of them. */
export const reservedSegments: ReadonlySet<string> = new Set([
  'api',
  'app',
  'assets',
  'docs',
  'healthz',
  'internal',
  'invitation',
  'metrics',
  'openapi.json',
  'qr',
  'readyz',
  'robots.txt',
  'favicon.ico',
  'favicon.svg',
  'apple-touch-icon.png',
  'sitemap.xml',
  '.well-known',
  '_linnet',
]);

/** Letters, marks and digits of any script, emoji with their joiners and selectors, and a few plain signs. */
const segment =
  /^(?:[\p{L}\p{M}\p{N}\-_.~]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u200d\ufe0f\u20e3]|[\u{e0020}-\u{e007f}])+$/u;
/** A joiner or a selector belongs after something visible; alone it would make two suffixes look the same. */
const strayJoiner = /(?:^|[\p{L}\p{N}\-_.~])\u200d|\u200d(?:$|[\p{L}\p{N}\-_.~])/u;

export const normaliseSuffix = (suffix: string): string => suffix.normalize('NFC');

/** Whether a suffix, already normalised, could stand for a link at all. Cheap: asked of every unknown path. */
export function isSuffix(suffix: string): boolean {
  if (suffix.length === 0 || suffix.length > maximumLength) return false;
  return suffix
    .split('/')
    .every((part) => part !== '.' && part !== '..' && segment.test(part) && !strayJoiner.test(part));
}

export function checkSuffix(suffix: string, onDefaultDomain: boolean): Problem | null {
  if (!isSuffix(suffix)) {
    return {
      code: 'SUFFIX_INVALID',
      field: 'suffix',
      sentence: `A suffix has 1 to ${maximumLength} characters: letters, digits, emoji, - _ . ~, and / between parts that are not empty.`,
    };
  }
  const first = (suffix.split('/', 1)[0] ?? '').toLowerCase();
  if (onDefaultDomain && reservedSegments.has(first)) {
    return {
      code: 'SUFFIX_RESERVED',
      field: 'suffix',
      sentence: `"${first}" is a path of the service itself. Choose another suffix.`,
    };
  }
  return null;
}

/** A random suffix; the database is asked whether it is free. */
export const randomSuffix = (randomBytes: RandomBytes): string =>
  drawText(alphabet, randomLength, randomBytes);
