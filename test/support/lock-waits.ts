import type { SQL } from 'bun';

/** The backends that wait for a lock on this table. Databases made from one template share table ids, hence the database check. */
export async function pidsWaitingForLock(sql: SQL, table: string): Promise<number[]> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_locks
    where not granted and relation = ${table}::regclass
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.map(({ pid }) => pid);
}
