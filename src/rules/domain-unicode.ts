import { domainToUnicode } from 'node:url';

/** Scripts that are written together: a label in one of these mixtures looks like what it is (UTS #39, 5.2). */
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

/** A label of these alone reads like one in Latin letters. */
const looksLatin = /^[асԁеһіјӏорԛѕԝхуъЬҽпгѵѡαικνορτυωεγηοσχύίό0-9-]+$/u;

/**
 * A domain as people read it. A label that could be taken for another one, because it mixes scripts or is made of
 * look-alikes of Latin letters, stays in ASCII: where it can't be mistaken.
 */
export const domainForPeople = (host: string): string => host.split('.').map(labelForPeople).join('.');

function labelForPeople(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const text = domainToUnicode(label);
  return text !== '' && isHonest(text) ? text : label;
}

function isHonest(label: string): boolean {
  if (looksLatin.test(label)) return false;
  // Beside letters and their marks there is hardly a sign that some font doesn't draw like another.
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(label)) return false;
  const found = new Set([...label].filter((sign) => !neutral.test(sign)).map(scriptOf));
  if (found.has(other)) return false;
  return (
    found.size <= 1 || mixtures.some((mixture) => [...found].every((script) => mixture.includes(script)))
  );
}

const scriptOf = (sign: string): string => scripts.find(([, pattern]) => pattern.test(sign))?.[0] ?? other;
