export const maxAtOnce = 1000;

/** The addresses in a text, one per line. */
export const destinationsIn = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The lines that were added after `sent` was sent; the whole text if that was changed. */
export function withoutSent(text: string, sent: string): string {
  if (!text.startsWith(sent)) return text;
  const added = text.slice(sent.length);
  const isNewLine = added === '' || added.startsWith('\n') || sent.endsWith('\n');
  return isNewLine ? added.trimStart() : text;
}

/** The text with the refused lines before it, except for those that it still has. */
export function withRefused(text: string, refused: readonly string[]): string {
  const kept = destinationsIn(text);
  return [...refused.filter((line) => !kept.includes(line)), ...(text === '' ? [] : [text])].join('\n');
}

/** Whether text pasted outside any field should become a link. */
export const looksLikeAddress = (text: string): boolean =>
  /^([a-z][a-z0-9+.-]*:\/\/\S+|[^\s/@]+(\.[^\s/@.]+)+(:\d+)?([/?#]\S*)?)$/i.test(text);
