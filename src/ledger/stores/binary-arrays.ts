import type { Column } from '../fold-store.ts';

/** PostgreSQL's binary format of arrays: the server reads a number in a tenth of the time that text takes. */
const headerLength = 20;
const types = { bigint: 20, text: 25, bytea: 17 } as const;

export function bigintArray(numbers: Column | readonly number[], count = numbers.length): Buffer {
  const { buffer, view } = arrayOf(types.bigint, count, count * 12);
  if (numbers instanceof Float64Array) writeDoubles(view, numbers, count);
  else if (numbers instanceof Int32Array) writeIntegers(view, numbers, count);
  else writeDoubles(view, Float64Array.from(numbers), count);
  return buffer;
}

/** An array of ASCII texts. */
export const asciiArray = (texts: readonly string[]): Buffer =>
  arrayOfCells(types.text, texts, (buffer, text, at) => buffer.write(text, at, 'latin1'));

export const byteaArray = (values: readonly Uint8Array[]): Buffer =>
  arrayOfCells(types.bytea, values, (buffer, value, at) => buffer.set(value, at));

function arrayOfCells<Cell extends { readonly length: number }>(
  type: number,
  cells: readonly Cell[],
  write: (buffer: Buffer, cell: Cell, at: number) => void,
): Buffer {
  const length = cells.reduce((sum, cell) => sum + 4 + cell.length, 0);
  const { buffer, view } = arrayOf(type, cells.length, length);
  let at = headerLength;
  for (const cell of cells) {
    view.setInt32(at, cell.length);
    write(buffer, cell, at + 4);
    at += 4 + cell.length;
  }
  return buffer;
}

function arrayOf(type: number, count: number, length: number) {
  const isEmpty = count === 0;
  const buffer = Buffer.alloc(isEmpty ? 12 : headerLength + length);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  // The number of dimensions, whether there are nulls, and the type; then the length and lower bound of the one dimension.
  view.setInt32(0, isEmpty ? 0 : 1);
  view.setInt32(8, type);
  if (!isEmpty) {
    view.setInt32(12, count);
    view.setInt32(16, 1);
  }
  return { buffer, view };
}

/** Two identical functions, because one that gets both types of columns takes several times as long. */
function writeDoubles(view: DataView, numbers: Float64Array, count: number): void {
  for (let index = 0, at = headerLength; index < count; index++, at += 12) {
    const number = numbers[index] ?? 0;
    view.setInt32(at, 8);
    view.setInt32(at + 4, Math.floor(number / 2 ** 32));
    view.setInt32(at + 8, number | 0);
  }
}

function writeIntegers(view: DataView, numbers: Int32Array, count: number): void {
  for (let index = 0, at = headerLength; index < count; index++, at += 12) {
    const number = numbers[index] ?? 0;
    view.setInt32(at, 8);
    view.setInt32(at + 4, number < 0 ? -1 : 0);
    view.setInt32(at + 8, number);
  }
}
