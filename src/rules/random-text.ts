export type RandomBytes = (count: number) => Uint8Array;

/**
 * Requesting a few bytes takes as long as requesting thousands, so they are fetched in blocks (seven bytes: 90 ns instead of
 * 770). Each is used once.
 */
export function buffered(fetch: RandomBytes, blockSize = 4_096): RandomBytes {
  let bytes: Uint8Array = new Uint8Array(0);
  let used = 0;
  return (count) => {
    if (count > blockSize) return fetch(count);
    if (used + count > bytes.length) {
      bytes = fetch(blockSize);
      used = 0;
    }
    used += count;
    return bytes.subarray(used - count, used);
  };
}

export const digitsAndLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Draws each character evenly: bytes beyond the last whole multiple of the alphabet are discarded. */
export function drawText(alphabet: string, length: number, randomBytes: RandomBytes): string {
  const fair = alphabet.length * Math.floor(256 / alphabet.length);
  let text = '';
  while (text.length < length) {
    const bytes = randomBytes(length * 2);
    for (let index = 0; index < bytes.length && text.length < length; index++) {
      const byte = bytes[index] ?? 0;
      if (byte < fair) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
