import { sql } from 'kysely';
import type { Database, Lookups } from './database.ts';
import { openPostgres, openPostgresLookups } from './drivers/postgres.ts';
import { openSqlite, openSqliteLookups } from './drivers/sqlite.ts';
import { encodingSql, requireUtf8 } from './encoding.ts';
import { findLinkForVisitor, linkFinder } from './links.ts';
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
  const database = url === null ? await openSqlite(dataDir, onEnded) : openPostgres(url, onIdleError, pool);
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

/** Separate connections for lookups by key, to a store that is migrated. */
export function openLookups(
  url: string | null,
  dataDir: string,
  onIdleError: (cause: Error) => void,
): Lookups {
  if (url === null) {
    const { queries, rowFinder, close } = openSqliteLookups(dataDir);
    return { queries, link: linkFinder(queries, rowFinder), close };
  }
  const { queries, close } = openPostgresLookups(url, onIdleError);
  return { queries, link: (domainId, suffix) => findLinkForVisitor(queries, domainId, suffix), close };
}
