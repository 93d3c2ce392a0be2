import { sql } from 'kysely';
import type { Database } from './database.ts';
import { openSqlite } from './drivers/sqlite.ts';
import { encodingSql, requireUtf8 } from './encoding.ts';
import { migrate, type UpgradeHooks } from './migrate.ts';

interface OpenOptions extends UpgradeHooks {
  readonly pool?: number;
  /** Called if a thread of SQLite ends by itself: from then on calls fail. */
  readonly onEnded?: (cause: Error) => void;
}

/** The store, migrated and ready: PostgreSQL if a URL is given, otherwise SQLite in the data folder. */
export async function openDatabase(
  url: string | null,
  dataDir: string,
  onIdleError: (cause: Error) => void,
  { pool, onEnded = () => {}, ...hooks }: OpenOptions = {},
): Promise<Database> {
  // PostgreSQL's driver is loaded only where it is used.
  const database =
    url === null
      ? await openSqlite(dataDir, onEnded)
      : (await import('./drivers/postgres.ts')).openPostgres(url, onIdleError, pool);
  try {
    if (database.kind === 'postgres')
      requireUtf8((await sql.raw<object>(encodingSql).execute(database.read)).rows);
    await migrate(database, hooks);
  } catch (cause) {
    await database.close();
    throw cause;
  }
  return database;
}
