export type RandomBytes = (count: number) => Uint8Array;

export const digitsAndLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Draws each character evenly: bytes past the last whole multiple of the alphabet are thrown away. */
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
