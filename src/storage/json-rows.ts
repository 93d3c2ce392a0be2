import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from './dialect.ts';

export type Cell = string | number | null;
export type ColumnKind = 'integer' | 'text';

/**
 * Rows as a table to select from, sent as one value: the statement is the same however many there are, and nothing has
 * to be made of each of their cells on the way.
 */
export function jsonRows(
  dialect: Dialect,
  columns: Readonly<Record<string, ColumnKind>>,
  rows: readonly (readonly Cell[])[],
): RawBuilder<unknown> {
  const picked = Object.entries(columns).map(([name, kind], place) => dialect.jsonCell(place, kind, name));
  return sql`(select ${sql.raw(picked.join(', '))} from ${sql.raw(dialect.jsonEach)}(${JSON.stringify(rows)}) as item)`;
}

/** A list of texts, for `in`. */
export const jsonTexts = (dialect: Dialect, texts: readonly string[]): RawBuilder<string> =>
  sql`(select ${sql.raw(dialect.jsonCell(0, 'text', 'text'))} from ${sql.raw(dialect.jsonEach)}(${JSON.stringify(texts.map((text) => [text]))}) as item)`;
