/** A file name for a suffix, which may contain characters that file systems refuse. Marks belong to their letters, those of emoji don't. */
export const fileName = (text: string): string =>
  text
    .replace(/(?:[^\p{L}\p{M}\p{N}._-]|[\ufe0f\u20e3])+/gu, '-')
    .replace(/^[-.]+/, '')
    .slice(0, 80)
    .replace(/[-.\ud800-\udbff]+$/, '') || 'qr-code';
