import type { SQL } from 'bun';

/** The processes of the server that wait for a lock of this table. Databases of one template have the same ids of tables. */
export async function waitingFor(sql: SQL, table: string): Promise<number[]> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_locks
    where not granted and relation = ${table}::regclass
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.map(({ pid }) => pid);
}
