import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** In place of a timeline: the server is a replica, and takes no changes. */
export const replicaMark = 'replica';

/**
 * Identifies the server, its history (promotion and point-in-time recovery begin a new one), the database and a table. The
 * timeline is that of the log: another function returns it too, but only after the first checkpoint.
 */
export const historySql = `select concat_ws(' ',
    (select system_identifier from pg_control_system()),
    case when pg_is_in_recovery() then '${replicaMark}'
      else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end,
    (select oid from pg_database where datname = current_database()),
    'changes'::regclass::oid
  ) as history`;

/** PostgreSQL-compatible databases and services may lack these functions or deny them. */
export const hasNoHistory = (cause: unknown): boolean =>
  /^(42|0A)/.test((cause as { code?: string }).code ?? '');

const withoutHistory = new WeakSet<Queries>();

/**
 * Identifies a store and its history: differs from every other store and from restored states of it; null if the database can't
 * tell.
 */
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
