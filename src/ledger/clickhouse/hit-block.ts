import { codeFields, type HitColumn, hitColumns } from '../../rules/click-fields.ts';
import type { Column, Hits } from '../fold-store.ts';

/** Its body is a block. */
export const insertHitsSql = `insert into hits (id, ${hitColumns.join(', ')}) format Native`;

const two32 = 2 ** 32;

const codeColumns: ReadonlySet<string> = new Set(codeFields);

/** The type in inserted blocks: the server converts it to that of the table. */
export function typeOf(column: HitColumn): 'Int64' | 'UInt8' | 'UInt64' {
  if (column === 'at') return 'Int64';
  return codeColumns.has(column) ? 'UInt8' : 'UInt64';
}

/** Hits in ClickHouse's format `Native`, column by column. */
export function hitBlock({ columns, count }: Hits, idOf: (row: number) => number): Uint8Array {
  const ids = Float64Array.from({ length: count }, (_, row) => idOf(row));
  const length = Uint8Array.from([...varint(1 + hitColumns.length), ...varint(count)]);
  const parts = [length, nameOf('id', 'UInt64'), wideCells(ids, count)];
  for (const [index, name] of hitColumns.entries()) {
    const type = typeOf(name);
    // A column may have room for more hits than there are.
    const cells = columns[index] ?? new Float64Array(count);
    parts.push(
      nameOf(name, type),
      type === 'UInt8' ? Uint8Array.from(cells.subarray(0, count)) : wideCells(cells, count),
    );
  }
  return Buffer.concat(parts);
}

const nameOf = (name: string, type: string): Uint8Array => Uint8Array.from([...text(name), ...text(type)]);

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

const text = (value: string): number[] => [...varint(value.length), ...Buffer.from(value)];

function varint(number: number): number[] {
  const bytes: number[] = [];
  let left = number;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return [...bytes, left];
}
