/** The text of an attribute as it is written in a page: HTMLRewriter doesn't decode it. */
export const decoded = (written: string): string =>
  written.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
