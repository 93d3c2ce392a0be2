import { bigintArray, byteaArray } from './binary-arrays.ts';
import { type Query, unnested } from './sql-fold-store.ts';

/** The columns of rows of numbers, as parameters. */
export const columnsOf = (rows: readonly (readonly number[])[]): readonly Buffer[] =>
  (rows[0] ?? []).map((_, column) => bigintArray(rows.map((row) => row[column] ?? 0)));

/** Inserts rows of numbers into a table with its columns; `bytes` are the cells of one more column. */
export async function insertRows(
  query: Query,
  table: string,
  rows: readonly (readonly number[])[],
  bytes: readonly Uint8Array[] = [],
): Promise<void> {
  if (rows.length === 0) return;
  const numbers = columnsOf(rows);
  const types = [...numbers.map(() => 'bigint'), ...(bytes.length === 0 ? [] : ['bytea'])];
  const values = bytes.length === 0 ? numbers : [...numbers, byteaArray(bytes)];
  await query(`insert into ${table} select * from ${unnested(types)}`, values);
}
