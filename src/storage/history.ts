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
  ) as history, pg_postmaster_start_time()::text as started`;

/** PostgreSQL-compatible databases and services may lack these functions or deny them. */
export const hasNoHistory = (cause: unknown): boolean =>
  /^(42|0A)/.test((cause as { code?: string }).code ?? '');

export interface StoreHistory {
  /** Differs between stores, and between a store and what it was restored to by the log; null if the database can't report it. */
  readonly history: string | null;
  /** When the server started: files that were copied back have the same history, but not under a running server. */
  readonly started: string | null;
}

export const noHistory: StoreHistory = { history: null, started: null };

const withoutHistory = new WeakSet<Queries>();

export async function storeHistory(queries: Queries): Promise<StoreHistory> {
  if (withoutHistory.has(queries)) return noHistory;
  try {
    const { rows } = await sql.raw<StoreHistory>(historySql).execute(queries);
    return rows[0] ?? noHistory;
  } catch (cause) {
    if (!hasNoHistory(cause)) throw cause;
    withoutHistory.add(queries);
    return noHistory;
  }
}
