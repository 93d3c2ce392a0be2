import { Database as Sqlite } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../storage/database.ts';
import { connect } from './postgres-source.ts';

/** A store as it is: nothing is created, and no table changed. */
export interface ReadOnlyStore {
  readonly kind: Database['kind'];
  /** PostgreSQL has `timeout` milliseconds for the answer, 0 for any time. */
  query(sql: string, timeout?: number): Promise<readonly Record<string, unknown>[]>;
}

const defaultTimeout = 8_000;

/** Null if there is no SQLite file. */
export async function openReadOnlyStore(
  databaseUrl: string | null,
  dataDir: string,
): Promise<(ReadOnlyStore & AsyncDisposable) | null> {
  if (databaseUrl !== null) {
    const client = await connect(databaseUrl);
    let last: Promise<unknown> = Promise.resolve();
    return {
      kind: 'postgres',
      query(text, timeout = defaultTimeout) {
        // Concurrent queries run on the one connection, one after the other.
        const statement = { text, query_timeout: timeout };
        const answer = last.then(async () => (await client.query<Record<string, unknown>>(statement)).rows);
        last = answer.catch(() => {});
        return answer;
      },
      [Symbol.asyncDispose]: () => client.end(),
    };
  }
  const file = join(dataDir, 'linnet.sqlite');
  if (!isThere(file)) return null;
  const database = new Sqlite(file, { readonly: true });
  try {
    database.run('pragma busy_timeout = 5000');
    // Opening reads nothing: a file that isn't a database would be noticed by the first query only.
    database.query('select 1 from sqlite_master').get();
  } catch (cause) {
    database.close();
    throw cause;
  }
  return {
    kind: 'sqlite',
    query: async (sql) => database.query<Record<string, unknown>, []>(sql).all(),
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

/** Throws if the folder may not be looked into, where `existsSync` says that nothing is there. */
export const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

/** The number of its last migration; 0 if it has no tables yet. */
export async function migrationsOf(store: ReadOnlyStore): Promise<number> {
  if (!(await hasTable(store, 'migrations'))) return 0;
  const [row] = await store.query('select max(number) as number from migrations');
  return Number(row?.number ?? 0);
}

/** `key` is always a constant of this program. Null if the store doesn't have this setting. */
export async function settingIn(store: ReadOnlyStore, key: string): Promise<string | null> {
  if (!(await hasTable(store, 'settings'))) return null;
  const [row] = await store.query(`select value from settings where key = '${key}'`);
  return row === undefined ? null : String(row.value);
}

/** The machines of nodes that have reported since an instant. */
export async function reportedHosts(store: ReadOnlyStore, since: number): Promise<readonly string[]> {
  if (!(await hasTable(store, 'nodes'))) return [];
  const rows = await store.query(
    `select distinct host_name from nodes where seen_at > ${since} order by host_name`,
  );
  return rows.map(({ host_name }) => String(host_name));
}

/** Null if there is no such table. */
export async function rowsIn(store: ReadOnlyStore, table: string): Promise<number | null> {
  if (!(await hasTable(store, table))) return null;
  // A large table takes minutes.
  const [row] = await store.query(`select count(*) as rows from "${table}"`, 0);
  return Number(row?.rows ?? 0);
}

/** `name` is always a constant of this program. */
export async function hasTable(store: ReadOnlyStore, name: string): Promise<boolean> {
  const found = await store.query(
    store.kind === 'sqlite'
      ? `select 1 from sqlite_master where type = 'table' and name = '${name}'`
      : `select 1 from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = '${name}'`,
  );
  return found.length > 0;
}
