import { alignmentCentres, type Version } from './versions.ts';

/**
 * The modules of a symbol as bits, 32 columns of a row in a word: first the words of the leftmost 32 columns from top to
 * bottom, then those of the next. So one operation compares 32 columns.
 */
export type Bits = Int32Array;

export const wordsAcross = (size: number): number => (size + 31) >>> 5;
/** The word that holds the bit of a module, which is bit `x & 31` of it. */
export const wordOf = (size: number, x: number, y: number): number => (x >>> 5) * size + y;

/** The parts that all symbols of a version share. Each exists unchanged, and with rows and columns exchanged. */
export interface Layout {
  readonly size: number;
  readonly fixed: WithTranspose;
  /** The modules that each mask inverts, in the area of the data. */
  readonly masks: readonly WithTranspose[];
  /** The same, with the format information that identifies the mask. */
  readonly finishes: readonly Bits[];
  /** The modules of the data in their order: 32 times the index of the word, plus the bit in it. */
  readonly order: Int32Array;
  readonly orderTransposed: Int32Array;
}

export interface WithTranspose {
  readonly bits: Bits;
  readonly transposed: Bits;
}

const layouts = new Map<number, Layout>();

export function layoutOf(version: Version): Layout {
  const layout = layouts.get(version.number) ?? makeLayout(version);
  layouts.set(version.number, layout);
  return layout;
}

type IsDark = (x: number, y: number) => boolean;

function makeLayout(version: Version): Layout {
  const { size } = version;
  const patterns = new Map<number, boolean>();
  const set = (x: number, y: number, isDark: boolean) => patterns.set(y * size + x, isDark);
  drawFinders(size, set);
  drawAlignments(version, patterns, set);
  for (let along = 8; along < size - 8; along++) {
    set(along, 6, along % 2 === 0);
    set(6, along, along % 2 === 0);
  }
  // Light for now: masks are compared without the information that identifies them.
  const information = informationOf(version, 0).map(([x, y]) => [x, y] as const);
  for (const [x, y] of information) set(x, y, false);
  const data = zigzag(size).filter(([x, y]) => !patterns.has(y * size + x));
  const inverted = (rule: IsDark) => data.filter(([x, y]) => rule(x, y));
  const dark = [...patterns]
    .filter(([, isDark]) => isDark)
    .map(([index]) => [index % size, Math.floor(index / size)] as const);
  const masks = maskRules.map((rule) => withTranspose(size, inverted(rule)));
  return {
    size,
    fixed: withTranspose(size, dark),
    masks,
    finishes: maskRules.map((rule, mask) => {
      const darkInformation = informationOf(version, mask).filter(([, , isDark]) => isDark);
      return withTranspose(size, [...inverted(rule), ...darkInformation.map(([x, y]) => [x, y] as const)])
        .bits;
    }),
    order: Int32Array.from(data, ([x, y]) => (wordOf(size, x, y) << 5) | (x & 31)),
    orderTransposed: Int32Array.from(data, ([x, y]) => (wordOf(size, y, x) << 5) | (y & 31)),
  };
}

type Module = readonly [x: number, y: number];

function withTranspose(size: number, dark: readonly Module[]): WithTranspose {
  const bits = new Int32Array(wordsAcross(size) * size);
  const transposed = new Int32Array(bits.length);
  const put = (into: Bits, x: number, y: number) => {
    const word = wordOf(size, x, y);
    into[word] = (into[word] ?? 0) | (1 << (x & 31));
  };
  for (const [x, y] of dark) {
    put(bits, x, y);
    put(transposed, y, x);
  }
  return { bits, transposed };
}

/** In three corners, each with its light border as far as that is inside the symbol. */
function drawFinders(size: number, set: (x: number, y: number, isDark: boolean) => void): void {
  for (const [left, top] of [
    [0, 0],
    [size - 7, 0],
    [0, size - 7],
  ] as const) {
    for (let dy = -1; dy <= 7; dy++) {
      for (let dx = -1; dx <= 7; dx++) {
        const [x, y] = [left + dx, top + dy];
        if (x < 0 || y < 0 || x >= size || y >= size) continue;
        const ring = Math.max(Math.abs(dx - 3), Math.abs(dy - 3));
        set(x, y, ring !== 2 && ring !== 4);
      }
    }
  }
}

function drawAlignments(
  version: Version,
  patterns: ReadonlyMap<number, boolean>,
  set: (x: number, y: number, isDark: boolean) => void,
): void {
  const { size } = version;
  const centres = alignmentCentres(version);
  const free = centres.flatMap((y) =>
    centres.filter((x) => !patterns.has(y * size + x)).map((x) => [x, y] as const),
  );
  for (const [x, y] of free) {
    for (let dy = -2; dy <= 2; dy++) {
      for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  }
}

/** Two columns at a time from the right, up and down in turn; the column of the timing pattern is skipped. */
function zigzag(size: number): Module[] {
  const modules: Module[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      modules.push([right, y], [right - 1, y]);
    }
    isUp = !isUp;
  }
  return modules;
}

/** ISO/IEC 18004, table 10. */
const maskRules: readonly IsDark[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The modules that contain the level and the mask, twice, and from version 7 on the version, twice. */
function informationOf(
  { number, size }: Version,
  mask: number,
): (readonly [x: number, y: number, isDark: boolean])[] {
  const format = formatOf(mask);
  const modules: [number, number, boolean][] = [[8, size - 8, true]];
  for (let bit = 0; bit < 15; bit++) {
    const isDark = ((format >> bit) & 1) === 1;
    const [x, y] = bit < 8 ? [8, bit < 6 ? bit : bit + 1] : [bit === 8 ? 7 : 14 - bit, 8];
    modules.push([x, y, isDark], bit < 8 ? [size - 1 - bit, 8, isDark] : [8, size - 15 + bit, isDark]);
  }
  if (number < 7) return modules;
  const version = versionInformation(number);
  for (let bit = 0; bit < 18; bit++) {
    const isDark = ((version >> bit) & 1) === 1;
    const [far, near] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    modules.push([far, near, isDark], [near, far, isDark]);
  }
  return modules;
}

/** Level M is 00, in front of the mask's number. */
const formatOf = (mask: number): number =>
  ((mask << 10) | remainder(mask, 10, 0b10100110111)) ^ 0b101010000010010;

const versionInformation = (number: number): number =>
  (number << 12) | remainder(number, 12, 0b1111100100101);

/** The remainder of a polynomial over bits, with `degree` zeros appended, divided by another. */
function remainder(bits: number, degree: number, divisor: number): number {
  let left = bits;
  for (let step = 0; step < degree; step++) left = (left << 1) ^ ((left >> (degree - 1)) * divisor);
  return left;
}
