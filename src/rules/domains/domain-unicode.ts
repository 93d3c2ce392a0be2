import { domainToUnicode } from 'node:url';

/** Scripts that are commonly mixed: a label in one of these combinations is not confusing (UTS #39, 5.2). */
const mixtures = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const scripts: readonly [string, RegExp][] = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Georgian',
  'Hangul',
  'Ethiopic',
  'Khmer',
  'Mongolian',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Han',
].map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')]);

/** Any other script would need a rule of its own; until then such a label is shown in ASCII. */
const other = 'other';
const neutral = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** A label of only these characters looks like Latin letters. */
const looksLatin = /^[асԁеһіјӏорԛѕԝхуъЬҽпгѵѡαικνορτυωεγηοσχύίό0-9-]+$/u;

/**
 * A domain as shown to people. A label that could be mistaken for another one, because it mixes scripts or consists of
 * look-alikes of Latin letters, stays in ASCII.
 */
export const displayDomain = (host: string): string => host.split('.').map(displayLabel).join('.');

function displayLabel(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const text = domainToUnicode(label);
  return text !== '' && isUnambiguous(text) ? text : label;
}

function isUnambiguous(label: string): boolean {
  if (looksLatin.test(label)) return false;
  // Nearly every character other than letters and their marks looks like another one in some font.
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(label)) return false;
  const found = new Set([...label].filter((character) => !neutral.test(character)).map(scriptOf));
  if (found.has(other)) return false;
  return (
    found.size <= 1 || mixtures.some((mixture) => [...found].every((script) => mixture.includes(script)))
  );
}

const scriptOf = (character: string): string =>
  scripts.find(([, pattern]) => pattern.test(character))?.[0] ?? other;
