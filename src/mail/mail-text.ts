const maxNameLength = 80;

/** A name on one line, of limited length, without characters that change the direction of the text. */
export function oneLine(name: string): string {
  const line = name
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : line;
}

/**
 * Users chose these names, and mail clients turn anything that looks like an address into a link: an invisible character prevents
 * that.
 */
export const unlinked = (text: string): string => text.replace(/[.:@/](?=\S)/g, '$&\u200c');

/** The first lines of `total`, and how many more there are. */
export const firstOf = (lines: readonly string[], total: number): readonly string[] =>
  total > lines.length ? [...lines, `And ${(total - lines.length).toLocaleString('en')} more.`] : lines;

export const dayOf = (instant: number): string =>
  new Date(instant).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
