/**
 * What keeps a text out of storage: control characters (PostgreSQL refuses NUL, and the rest have no place in a
 * name or an address) and lone surrogates (they can't be written as UTF-8, so they would come back changed).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

export const isStorable = (text: string): boolean => !control.test(text) && text.isWellFormed();

/** For comparing and searching without regard to case, the same on every database. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * The same text in memory of its own. One that was cut out of a longer text keeps all of that alive: a few letters of a
 * request that are remembered, the whole request and what came with it.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();
