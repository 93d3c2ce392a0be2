import type { Column } from '../fold-store.ts';

export type NativeType = 'UInt64' | 'Int64' | 'UInt8';

interface NativeColumn {
  readonly name: string;
  readonly type: NativeType;
  readonly cells: Column;
}

const two32 = 2 ** 32;
const widths: Readonly<Record<NativeType, number>> = { UInt64: 8, Int64: 8, UInt8: 1 };

/** Rows in ClickHouse's format `Native`, column by column. A column may have room for more rows than there are. */
export function nativeBlock(columns: readonly NativeColumn[], rows: number): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.from([...varint(columns.length), ...varint(rows)])];
  for (const { name, type, cells } of columns) {
    parts.push(Uint8Array.from([...text(name), ...text(type)]));
    parts.push(widths[type] === 1 ? Uint8Array.from(cells.subarray(0, rows)) : wideCells(cells, rows));
  }
  return Buffer.concat(parts);
}

function wideCells(cells: Column, rows: number): Uint8Array {
  const halves = new Uint32Array(rows * 2);
  for (let row = 0; row < rows; row++) {
    const value = cells[row] ?? 0;
    const upper = Math.floor(value / two32);
    halves[row * 2] = value - upper * two32;
    halves[row * 2 + 1] = upper;
  }
  return new Uint8Array(halves.buffer);
}

const text = (value: string): number[] => {
  const bytes = Buffer.from(value);
  return [...varint(bytes.length), ...bytes];
};

function varint(number: number): number[] {
  const bytes: number[] = [];
  let left = number;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return [...bytes, left];
}
