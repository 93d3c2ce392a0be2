/** Whether a URL can be written into an answer's head as it is. */
export const isPlainUrl = (url: string): boolean => !/[^\x21-\x7e]/.test(url);
