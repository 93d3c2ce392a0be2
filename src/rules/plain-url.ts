/** Whether a URL can be written into an answer's head unchanged. */
export const isPlainUrl = (url: string): boolean => !/[^\x21-\x7e]/.test(url);
