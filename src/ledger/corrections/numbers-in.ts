import { sql } from 'kysely';
import { dialectOf } from '../../storage/dialect.ts';
import { jsonRows } from '../../storage/json-rows.ts';
import type { Queries } from '../../storage/schema.ts';

/** A list of any length, for `in`: one parameter. */
export const numbersIn = (queries: Queries, numbers: readonly number[]) => {
  const rows = jsonRows(
    dialectOf(queries),
    { number: 'integer' },
    JSON.stringify(numbers.map((number) => [number])),
  );
  return sql`(select number from ${rows} as wanted)`;
};
