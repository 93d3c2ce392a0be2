import { firstNotBelow } from '../../structures/sorted-numbers.ts';
import type { Column } from '../fold-store.ts';
import { isConstantColumn } from '../is-constant-column.ts';

/**
 * One column of a chunk (`hit-chunk.ts`), in one of two forms. As codes: its distinct values in ascending order, and for each row
 * the index of its value, in one or two bytes; no codes if all rows have the same value. Or as differences from the lowest value,
 * for columns that differ from row to row.
 *
 * Bytes: the width of a cell (0, 1, 2; 4 or 8 for differences), the width of a value (4 or 8), two unused, the number of values
 * as 32 bits; the values, or the lowest one as a double; the cells. Each part begins at a multiple of eight.
 */
const headLength = 8;
const maxCodes = 2 ** 16;

/** A column, or the one value of all its rows. */
export type ColumnOrValue = Column | number;

/** The rows' codes; null if all rows have the only value. */
export type Codes = Uint8Array | Uint16Array | null;

export interface CodedColumn {
  /** In ascending order. */
  readonly values: Float64Array;
  readonly codes: Codes;
}

export function writeCoded(column: ColumnOrValue): Uint8Array {
  if (typeof column === 'number') return codedBytes(Float64Array.of(column), 0).bytes;
  if (isConstantColumn(column, column.length)) return writeCoded(column[0] ?? 0);
  const written = doubles(column);
  const { values, codeOf } = codesFor(written);
  if (values.length > maxCodes) throw new Error('a chunk has too many rows');
  const { bytes, codes } = codedBytes(values, written.length);
  let [previous, code] = [Number.NaN, 0];
  for (let row = 0; row < codes.length; row++) {
    const value = written[row] ?? 0;
    if (value !== previous) code = codeOf(value);
    codes[row] = code;
    previous = value;
  }
  return bytes;
}

/** The bytes of a coded column with its head and values, and a view of its codes, which are yet to be written. */
function codedBytes(values: Float64Array, rows: number) {
  const width = values.length === 1 ? 0 : values.length <= 2 ** 8 ? 1 : 2;
  const valueWidth = isSmall(values) ? 4 : 8;
  const cellsAt = headLength + roundUp(values.length * valueWidth);
  const bytes = new Uint8Array(cellsAt + rows * width);
  bytes[0] = width;
  bytes[1] = valueWidth;
  new Uint32Array(bytes.buffer, 4, 1)[0] = values.length;
  if (valueWidth === 4) new Uint32Array(bytes.buffer, headLength, values.length).set(values);
  else new Float64Array(bytes.buffer, headLength, values.length).set(values);
  const codes = width === 2 ? new Uint16Array(bytes.buffer, cellsAt) : new Uint8Array(bytes.buffer, cellsAt);
  return { bytes, codes };
}

export function readCoded(cells: Uint8Array, rows: number): CodedColumn {
  const bytes = aligned(cells);
  const width = bytes[0] ?? 0;
  const [length = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset + 4, 1);
  const valuesAt = bytes.byteOffset + headLength;
  const isWide = bytes[1] === 8;
  const values = isWide
    ? new Float64Array(bytes.buffer, valuesAt, length)
    : new Float64Array(new Uint32Array(bytes.buffer, valuesAt, length));
  const cellsAt = valuesAt + roundUp(length * (isWide ? 8 : 4));
  if (width === 0) return { values, codes: null };
  const codes =
    width === 1 ? new Uint8Array(bytes.buffer, cellsAt, rows) : new Uint16Array(bytes.buffer, cellsAt, rows);
  return { values, codes };
}

export function writeDifferences(column: Float64Array): Uint8Array {
  const { min, max, isWhole } = rangeOf(column);
  const isNarrow = isWhole && max - min < 2 ** 32;
  const width = isNarrow ? 4 : 8;
  const bytes = new Uint8Array(headLength * 2 + column.length * width);
  bytes[0] = width;
  new Float64Array(bytes.buffer, headLength, 1)[0] = isNarrow ? min : 0;
  if (isNarrow) {
    const cells = new Uint32Array(bytes.buffer, headLength * 2);
    for (let row = 0; row < column.length; row++) cells[row] = (column[row] ?? 0) - min;
  } else new Float64Array(bytes.buffer, headLength * 2).set(column);
  return bytes;
}

export function readDifferences(cells: Uint8Array, rows: number): Float64Array {
  const bytes = aligned(cells);
  const [min = 0] = new Float64Array(bytes.buffer, bytes.byteOffset + headLength, 1);
  const at = bytes.byteOffset + headLength * 2;
  if (bytes[0] === 8) return new Float64Array(bytes.buffer, at, rows);
  const read = new Float64Array(new Uint32Array(bytes.buffer, at, rows));
  for (let row = 0; row < rows; row++) read[row] = (read[row] ?? 0) + min;
  return read;
}

/** The code of a value; -1 if no row has it. */
export function codeOf({ values }: CodedColumn, value: number): number {
  const code = firstNotBelow(values, value);
  return values[code] === value ? code : -1;
}

export const valueAt = ({ values, codes }: CodedColumn, row: number): number =>
  values[codes === null ? 0 : (codes[row] ?? 0)] ?? 0;

interface ValueCodes {
  /** The distinct values of a column, in ascending order. */
  readonly values: Float64Array;
  readonly codeOf: (value: number) => number;
}

/** Up to this range codes are looked up in a table. */
const maxTable = 2 ** 17;

function codesFor(column: Float64Array): ValueCodes {
  const { min, max, isWhole } = rangeOf(column);
  return isWhole && max - min < maxTable ? codesByTable(column, min, max) : codesBySearch(column);
}

function codesByTable(column: Float64Array, min: number, max: number): ValueCodes {
  const codes = new Int32Array(max - min + 1).fill(-1);
  for (let row = 0; row < column.length; row++) codes[(column[row] ?? 0) - min] = 0;
  let count = 0;
  for (let index = 0; index < codes.length; index++) if (codes[index] === 0) codes[index] = count++;
  const values = new Float64Array(count);
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? -1;
    if (code >= 0) values[code] = index + min;
  }
  return { values, codeOf: (value) => codes[value - min] ?? 0 };
}

/** A map of the values took a tenth of the fold of many links. */
function codesBySearch(column: Float64Array): ValueCodes {
  // A chunk's links are sorted.
  const values = isAscending(column)
    ? column.filter((value, row) => row === 0 || value !== column[row - 1])
    : Float64Array.from(new Set(column)).sort();
  return { values, codeOf: (value) => firstNotBelow(values, value) };
}

/** The runtime converts integers in a tenth of the time of a loop that gets both types of columns. */
export const doubles = (column: Column): Float64Array =>
  column instanceof Float64Array ? column : new Float64Array(column);

/** The values of all rows. */
export const valuesOf = (column: ColumnOrValue, rows: number): Float64Array =>
  typeof column === 'number' ? new Float64Array(rows).fill(column) : doubles(column);

export const valueIn = (column: ColumnOrValue, row: number): number =>
  typeof column === 'number' ? column : (column[row] ?? 0);

export function isAscending(column: Float64Array): boolean {
  for (let row = 1; row < column.length; row++) if ((column[row] ?? 0) < (column[row - 1] ?? 0)) return false;
  return true;
}

/** By index: an iterator over a typed array takes ten times as long. */
export function rangeOf(column: Float64Array) {
  let [min, max, isWhole] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
  for (let row = 0; row < column.length; row++) {
    const value = column[row] ?? 0;
    if (value < min) min = value;
    if (value > max) max = value;
    if (!Number.isInteger(value)) isWhole = false;
  }
  return { min, max, isWhole };
}

const isSmall = (values: Float64Array): boolean =>
  values.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32);

const roundUp = (length: number): number => Math.ceil(length / 8) * 8;

/** The bytes of a database may have any alignment. */
const aligned = (cells: Uint8Array): Uint8Array => (cells.byteOffset % 8 === 0 ? cells : cells.slice());
