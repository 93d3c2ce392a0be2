/**
 * What must not be stored in a text: control characters (PostgreSQL refuses NUL, and the others have no place in a name or an
 * address) and lone surrogates (they can't be written as UTF-8, so they would come back changed).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

export const isStorable = (text: string): boolean => !control.test(text) && text.isWellFormed();

/** More marks in a row than any name of a tag has: normalising sorts them, which takes a time quadratic in their number. */
const manyMarks = /[\p{M}\uff9e\uff9f]{101}/u;

/** For comparing and searching regardless of case, the same on every database. A text of very many marks stays as it is. */
export const foldCase = (text: string): string =>
  (manyMarks.test(text) ? text : text.normalize('NFKC')).toLowerCase();

/** Without its percent-encoding; null if that is invalid. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * The same text in memory of its own. A substring keeps the whole text alive: a few cached letters of a request would keep the
 * request and everything that came with it.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();
