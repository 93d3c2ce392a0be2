/** A file name for a suffix, which may contain characters that file systems refuse. */
export const fileName = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80) || 'qr-code';
