/** The bytes of a request's head, read as narrowly as HTTP allows: what is written any other way is not ours to guess at. */
const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;

function tableOf(signs: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const nameSigns = tableOf(`!#$%&'*+-.^_\`|~0123456789${letters}`);
/** What a URL leaves as it is: neither what it would encode, nor what would end it. */
const targetSigns = tableOf(`!$%&()*+,-./0123456789:;=?@[]_~${letters}`);

const isValueSign = (byte: number): boolean => byte >= 32 && byte < 127;

/** Where the colon behind the name that begins here stands; -1 when this is no name of a header. */
export function nameEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (nameSigns[bytes[end] as number] === 1) end++;
  return end > at && bytes[end] === colon ? end : -1;
}

/** Where the line break begins that ends this value; -1 when the line isn't whole, or holds more than plain ASCII. */
export function valueEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isValueSign(bytes[end] as number)) end++;
  return isLineBreak(bytes, end) ? end : -1;
}

export const isLineBreak = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;

/** Where the target that begins here ends; there or later is what a URL would not leave as it is. */
export function targetEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (targetSigns[bytes[end] as number] === 1) end++;
  return end;
}

/** Whether these bytes are this name, of the same length and given in lower case. */
export function isName(bytes: Uint8Array, at: number, name: string): boolean {
  for (let place = 0; place < name.length; place++)
    if (((bytes[at + place] as number) | 32) !== name.charCodeAt(place)) return false;
  return true;
}

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9;

/** What stands between two places, without the blanks around it. `text` is the bytes, a character each. */
export function valueBetween(bytes: Uint8Array, text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return text.slice(start, end);
}
