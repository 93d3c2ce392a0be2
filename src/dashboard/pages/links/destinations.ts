export const maxAtOnce = 1000;

/** The addresses in a text, one per line. */
export const destinationsIn = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The text with the refused lines before it, except for those that it still has. */
export function withRefused(text: string, refused: readonly string[]): string {
  const kept = destinationsIn(text);
  return [...refused.filter((line) => !kept.includes(line)), ...(text === '' ? [] : [text])].join('\n');
}

/** Whether text pasted outside any field should become a link. */
export const looksLikeAddress = (text: string): boolean =>
  /^([a-z][a-z0-9+.-]*:\/\/\S+|[^\s/@]+(\.[^\s/@.]+)+(:\d+)?([/?#]\S*)?)$/i.test(text);
