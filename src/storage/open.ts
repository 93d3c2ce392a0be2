import type { Database } from './database.ts';
import { openPostgres } from './drivers/postgres.ts';
import { openSqlite } from './drivers/sqlite.ts';
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
