/**
 * The bytes of a request's head, read as narrowly as HTTP allows: what is written any other way is not ours to guess at.
 * They are copied to one place with a zero behind them, which ends every loop: none reads past what was copied.
 */
export const longestHead = 8 * 1024;
/** The two line breaks at a head's end don't count. */
const room = longestHead + 4;
const head = Buffer.from(new ArrayBuffer(room + 1));

const lineFeed = 10;
const carriageReturn = 13;
const blank = 32;
const colon = 58;
const questionMark = 63;

/** What the others read, counted from `at`. Behind it is what earlier requests left there: they all stop at the zero. */
export function layOut(bytes: Buffer, at: number): void {
  head[bytes.copy(head, 0, at, at + room)] = 0;
}

function tableOf(signs: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const nameSigns = tableOf(`!#$%&'*+-.^_\`|~0123456789${letters}`);
/** What a URL leaves as it is in a path: neither what it would encode, nor what would end it. */
const pathSigns = tableOf(`!$%&()*+,-./0123456789:;=@[]_~${letters}`);

const isInValue = (byte: number): boolean => byte >= blank && byte < 127;

/** Where the colon behind the name that begins here stands; -1 when this is no name of a header. */
export function nameEnd(at: number): number {
  let end = at;
  while (nameSigns[head[end] as number] === 1) end++;
  return end > at && head[end] === colon ? end : -1;
}

/** Where the line break begins that ends this value; -1 when the line isn't whole, or holds more than plain ASCII. */
export function valueEnd(at: number): number {
  let end = at;
  while (isInValue(head[end] as number)) end++;
  return isLineBreak(end) ? end : -1;
}

export const isLineBreak = (at: number): boolean => head[at] === carriageReturn && head[at + 1] === lineFeed;

/** Where the path that begins here ends; there is what a URL would not leave as it is, or its question mark. */
export function pathEnd(at: number): number {
  let end = at;
  while (pathSigns[head[end] as number] === 1) end++;
  return end;
}

/** Where the target ends whose path ends here. */
export function targetEnd(at: number): number {
  let end = at;
  while (pathSigns[head[end] as number] === 1 || head[end] === questionMark) end++;
  return end;
}

/** A letter of a name, a capital as a small one. A hyphen and a digit stay what they are. */
export const smallLetter = (at: number): number => (head[at] as number) | 32;

/** Where a value between these places begins, blanks aside. */
export function afterBlanks(from: number, to: number): number {
  let start = from;
  while (start < to && head[start] === blank) start++;
  return start;
}

/** And where it ends. */
export function beforeBlanks(from: number, to: number): number {
  let end = to;
  while (end > from && head[end - 1] === blank) end--;
  return end;
}
