/** Whether a URL can be written into a response header unchanged. */
export const isPlainUrl = (url: string): boolean => !/[^\x21-\x7e]/.test(url);
