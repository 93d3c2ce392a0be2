import type { Database, Lookups } from './database.ts';
import { openPostgres, openPostgresLookups } from './drivers/postgres.ts';
import { openSqlite, openSqliteLookups } from './drivers/sqlite.ts';
import { migrate } from './migrate.ts';

/** The store, up to date and ready: PostgreSQL where a URL is given, else SQLite in the data folder. */
export async function openDatabase(
  url: string | null,
  dataDir: string,
  onIdleError: (cause: Error) => void,
): Promise<Database> {
  const database = url === null ? await openSqlite(dataDir) : openPostgres(url, onIdleError);
  try {
    await migrate(database);
  } catch (cause) {
    await database.close();
    throw cause;
  }
  return database;
}

/** A way of its own to ask by key, into a store that is up to date. */
export const openLookups = (
  url: string | null,
  dataDir: string,
  onIdleError: (cause: Error) => void,
): Lookups => (url === null ? openSqliteLookups(dataDir) : openPostgresLookups(url, onIdleError));
