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
    for (const byte of randomBytes(length * 2)) {
      if (byte < fair && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
