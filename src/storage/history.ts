import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** In the place of a timeline: the server follows another one, and takes no changes. */
export const replicaMark = 'replica';

/**
 * Of a server, of its history (a promotion begins a new one, and so does a recovery to an earlier instant), of a database and
 * of a table. The timeline is that of the log: another function says it too, but only once the first checkpoint is over.
 */
export const historySql = `select concat_ws(' ',
    (select system_identifier from pg_control_system()),
    case when pg_is_in_recovery() then '${replicaMark}'
      else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end,
    (select oid from pg_database where datname = current_database()),
    'changes'::regclass::oid
  ) as history`;

/** Databases that speak as PostgreSQL does, and services built on it, may lack these functions or not allow them. */
export const hasNoHistory = (cause: unknown): boolean =>
  /^(42|0A)/.test((cause as { code?: string }).code ?? '');

const withoutHistory = new WeakSet<Queries>();

/** What a store has that no other store and no later state of it has; null where the database has no such thing. */
export async function storeHistory(queries: Queries): Promise<string | null> {
  if (withoutHistory.has(queries)) return null;
  try {
    const { rows } = await sql.raw<{ history: string }>(historySql).execute(queries);
    return rows[0]?.history ?? null;
  } catch (cause) {
    if (!hasNoHistory(cause)) throw cause;
    withoutHistory.add(queries);
    return null;
  }
}
