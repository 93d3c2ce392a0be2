/** Longer ones are pasted rather than typed. */
const maxLength = 40;

/** Characters that are mistaken for each other. */
const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  o: '0',
  '1': 'l',
  l: '1',
  i: 'l',
  '-': '_',
  _: '-',
};

/**
 * Suffixes that may have been meant by a typed one, most likely first: without trailing punctuation, in lower case, with two
 * letters swapped, one removed, one doubled, a hyphen added, or one replaced by a look-alike. Each is looked up by the index.
 */
export function similarSuffixes(typed: string): readonly string[] {
  const letters = [...typed];
  if (letters.length > maxLength) return [];
  const at = letters.map((_, index) => index);
  const put = (index: number, removed: number, ...added: readonly string[]) =>
    letters.toSpliced(index, removed, ...added).join('');
  const found = new Set([
    typed.replace(/[.,;:!?~)_-]+$/, ''),
    typed.toLowerCase(),
    typed.toUpperCase(),
    ...at.slice(1).map((index) => put(index - 1, 2, letters[index] ?? '', letters[index - 1] ?? '')),
    ...at.map((index) => put(index, 1)),
    ...at.map((index) => put(index, 0, letters[index] ?? '')),
    ...at.slice(1).map((index) => put(index, 0, '-')),
    ...at.flatMap((index) => {
      const other = lookalikes[letters[index]?.toLowerCase() ?? ''];
      return other === undefined ? [] : put(index, 1, other);
    }),
  ]);
  for (const suffix of found) found.add(suffix.toLowerCase());
  found.delete(typed);
  found.delete('');
  return [...found];
}
