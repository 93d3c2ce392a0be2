/** In place of a timeline: the server is a replica, and takes no changes. */
export const replicaMark = 'replica';

/**
 * Identifies the server, its timeline (promotion and point-in-time recovery begin a new one), the database and a table. The
 * timeline is that of the log: another function returns it too, but only after the first checkpoint.
 */
export const timelineSql = `select concat_ws(' ',
    (select system_identifier from pg_control_system()),
    case when pg_is_in_recovery() then '${replicaMark}'
      else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end,
    (select oid from pg_database where datname = current_database()),
    'changes'::regclass::oid
  ) as timeline, pg_postmaster_start_time()::text as started`;

/** PostgreSQL-compatible databases and services may lack these functions or deny them. */
export const hasNoTimeline = (cause: unknown): boolean =>
  /^(42|0A)/.test((cause as { code?: string }).code ?? '');
