import { yieldCore } from '../threads/yield-core.ts';
import type { Column } from './fold-store.ts';

/** Compares the column with itself shifted by one cell: as bytes, many cells at a time. */
export function isConstantColumn(column: Column | undefined, count: number): boolean {
  if (column === undefined) return true;
  const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = column;
  const length = (count - 1) * size;
  yieldCore();
  return (
    length <= 0 ||
    Buffer.from(buffer, byteOffset, length).equals(Buffer.from(buffer, byteOffset + size, length))
  );
}
