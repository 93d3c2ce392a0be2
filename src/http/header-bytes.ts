/**
 * The bytes of a request's head, read as narrowly as HTTP allows: what is written any other way is not ours to guess at.
 * They are read where they are laid out, four at a time where that can be, and never past their end.
 */
export const longestHead = 8 * 1024;
/** The two line breaks at a head's end don't count. */
const room = longestHead + 4;
const desk = Buffer.from(new ArrayBuffer(room + 4));
const words = new DataView(desk.buffer);

const lineFeed = 10;
const carriageReturn = 13;
const blank = 32;
const colon = 58;
const questionMark = 63;

/** What the others read, counted from `at`. Behind it is what earlier requests left there: they all stop at the zero. */
export function layOut(bytes: Buffer, at: number): void {
  desk[bytes.copy(desk, 0, at, at + room)] = 0;
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

const highBits = 0x8080_8080 | 0;
/** What small letters have and capitals haven't. A hyphen and a colon have it too. */
const small = 0x2020_2020;

/** Whether four bytes are letters and hyphens: most names are of nothing else. */
function areInName(word: number): boolean {
  const letter = word | small;
  const isFromA = letter + 0x1f1f_1f1f;
  const isPastZ = letter + 0x0505_0505;
  const isNoHyphen = (word ^ 0x2d2d_2d2d) + 0x7f7f_7f7f;
  return (((isFromA & ~isPastZ) | ~isNoHyphen) & ~word & highBits) === highBits;
}

/** Whether four bytes are plain ASCII. A sum runs over into the next byte only where it has found one that isn't. */
const areInValue = (word: number): boolean =>
  ((word | (word - 0x2020_2020) | (word + 0x0101_0101)) & highBits) === 0;

const isInValue = (byte: number): boolean => byte >= blank && byte < 127;

/** Where the colon behind the name that begins here stands; -1 when this is no name of a header. */
export function nameEnd(at: number): number {
  let end = at;
  while (areInName(words.getInt32(end, true))) end += 4;
  while (nameSigns[desk[end] as number] === 1) end++;
  return end > at && desk[end] === colon ? end : -1;
}

/** Where the line break begins that ends this value; -1 when the line isn't whole, or holds more than plain ASCII. */
export function valueEnd(at: number): number {
  let end = at;
  while (areInValue(words.getInt32(end, true))) end += 4;
  while (isInValue(desk[end] as number)) end++;
  return isLineBreak(end) ? end : -1;
}

export const isLineBreak = (at: number): boolean => desk[at] === carriageReturn && desk[at + 1] === lineFeed;

/** Where the path that begins here ends; there is what a URL would not leave as it is, or its question mark. */
export function pathEnd(at: number): number {
  let end = at;
  while (pathSigns[desk[end] as number] === 1) end++;
  return end;
}

/** Where the target ends whose path ends here. */
export function targetEnd(at: number): number {
  let end = at;
  while (pathSigns[desk[end] as number] === 1 || desk[end] === questionMark) end++;
  return end;
}

/** Four bytes of a name, capitals as small letters. */
export const nameWord = (at: number): number => words.getInt32(at, true) | small;

/** Where a value between these places begins, blanks aside. */
export function afterBlanks(from: number, to: number): number {
  let start = from;
  while (start < to && desk[start] === blank) start++;
  return start;
}

/** And where it ends. */
export function beforeBlanks(from: number, to: number): number {
  let end = to;
  while (end > from && desk[end - 1] === blank) end--;
  return end;
}
