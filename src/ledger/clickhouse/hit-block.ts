import { hitColumns } from '../../rules/click-fields.ts';
import type { Hits } from '../fold-store.ts';
import { typeOf } from './clickhouse-tables.ts';
import { nativeBlock } from './native-block.ts';

/** Its body is a block. */
export const insertHitsSql = `insert into hits (id, ${hitColumns.join(', ')}) format Native`;

export function hitBlock({ columns, count }: Hits, idOf: (row: number) => number): Uint8Array {
  return nativeBlock(
    [
      { name: 'id', type: 'UInt64', cells: Float64Array.from({ length: count }, (_, row) => idOf(row)) },
      ...hitColumns.map((name, index) => ({
        name,
        type: typeOf(name),
        cells: columns[index] ?? new Float64Array(count),
      })),
    ],
    count,
  );
}
