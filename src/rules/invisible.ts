/**
 * Invisible characters that copied text contains by accident: of a word processor, a PDF or a chat. Joiners and selectors aren't among
 * them: emoji and some scripts need these.
 */
const accidental = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/;

const names: Readonly<Record<string, string>> = {
  '\u00ad': 'a soft hyphen',
  '\u200b': 'a zero-width space',
  '\u2060': 'a word joiner',
  '\ufeff': 'a byte order mark',
};
const nameOf = (character: string): string => names[character] ?? 'a mark of the writing direction';

/** Without spaces and accidental characters at its ends. Loops, because a pattern for the end would take quadratic time. */
export function trimInvisible(text: string): string {
  const isDropped = (index: number) =>
    accidental.test(text.charAt(index)) || text.charAt(index).trim() === '';
  let [start, end] = [0, text.length];
  while (start < end && isDropped(start)) start++;
  while (start < end && isDropped(end - 1)) end--;
  return text.slice(start, end);
}

/** A sentence that says where the first accidental character is; undefined if there is none. */
export function invisibleIn(text: string): string | undefined {
  const index = text.search(accidental);
  if (index < 0) return undefined;
  const before = [...text.slice(0, index)].slice(-12).join('');
  const where = before === '' ? 'at the beginning' : `after "${before}"`;
  return `There is an invisible character, ${nameOf(text.charAt(index))}, ${where}. Delete it, or type the text instead of pasting it.`;
}
