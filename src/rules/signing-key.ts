const encodedKey = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

/** The base64 of a key in the form of Standard Webhooks; undefined for any other key. */
const encodedIn = (key: string): string | undefined => encodedKey.exec(key)?.[1] || undefined;

/** Whether a key begins like one of Standard Webhooks and isn't valid: a receiver's library would refuse it. */
export const isBrokenKey = (key: string): boolean => key.startsWith('whsec_') && !encodedIn(key);

/** Any other key is used as its own bytes, including an invalid one that was stored before those were refused. */
export function signingBytes(key: string): Buffer {
  const encoded = encodedIn(key);
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(key);
}
