import { type RawBuilder, sql } from 'kysely';
import { type Dialect, dialectOf } from './dialect.ts';
import type { Queries } from './schema.ts';

export type ColumnKind = 'integer' | 'text';

/**
 * Rows in JSON, as a table to select from, sent as one value: the statement is the same for any number of rows, and their cells
 * need no conversion on the way.
 */
export function jsonRows(
  dialect: Dialect,
  columns: Readonly<Record<string, ColumnKind>>,
  json: string,
): RawBuilder<unknown> {
  const picked = Object.entries(columns).map(([name, kind], index) => dialect.jsonCell(index, kind, name));
  return sql`(select ${sql.raw(picked.join(', '))} from ${sql.raw(dialect.jsonEach)}(${json}) as item)`;
}

/** A list of integers for `in`, in JSON. */
export const jsonIds = (dialect: Dialect, json: string): RawBuilder<number> =>
  sql`(select cast(item.value as bigint) from ${sql.raw(dialect.jsonEach)}(${json}) as item)`;

/** A list of numbers for `in`, of any length: one parameter. */
export const numbersIn = (queries: Queries, numbers: readonly number[]): RawBuilder<number> =>
  jsonIds(dialectOf(queries), JSON.stringify(numbers));

/** A list of texts for `in`; each of them is a row in the JSON. */
export const jsonTexts = (dialect: Dialect, json: string): RawBuilder<string> =>
  sql`(select ${sql.raw(dialect.jsonCell(0, 'text', 'text'))} from ${sql.raw(dialect.jsonEach)}(${json}) as item)`;
