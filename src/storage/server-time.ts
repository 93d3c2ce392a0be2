import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** The time by the clock of a PostgreSQL server, in milliseconds. */
export async function serverTime(lookup: Queries): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at`.execute(lookup);
  return Number(rows[0]?.at);
}
