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
export function asciiArray(texts: readonly string[]): Buffer {
  let length = 0;
  for (const text of texts) length += 4 + text.length;
  const { buffer, view } = arrayOf(types.text, texts.length, length);
  let at = headerLength;
  for (const text of texts) {
    view.setInt32(at, text.length);
    buffer.write(text, at + 4, 'latin1');
    at += 4 + text.length;
  }
  return buffer;
}

export function byteaArray(values: readonly Uint8Array[]): Buffer {
  const length = values.reduce((sum, value) => sum + 4 + value.length, 0);
  const { buffer, view } = arrayOf(types.bytea, values.length, length);
  let at = headerLength;
  for (const value of values) {
    view.setInt32(at, value.length);
    buffer.set(value, at + 4);
    at += 4 + value.length;
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
