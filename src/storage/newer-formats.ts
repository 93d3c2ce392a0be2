import { hourLength } from '../rules/durations.ts';
import type { Database } from './database.ts';
import { minMigration, requireMigration } from './min-migration.ts';
import { hasOlderProcess } from './nodes.ts';
import { deleteSetting, findSetting, replaceSetting } from './settings.ts';

/**
 * The newest migration with tables that are written in a newer form once the store refuses programs that don't know it. Their
 * writers check for the number of their own migration.
 */
export const newestFormat = 65;

/** Milliseconds without an older program, in which people may still roll back. */
const rollbackTime = hourLength;

/** The setting with the time since which no older program was seen. */
const aloneSinceKey = 'alone_since';

/**
 * On PostgreSQL: an hour after the last older program was seen, programs are required to know the newer forms. Returns whether
 * that has just begun.
 */
export async function adoptFormats(database: Database, now: number): Promise<boolean> {
  if (database.kind !== 'postgres' || ((await minMigration(database.lookup)) ?? 0) >= newestFormat)
    return false;
  const isOlderActive = await hasOlderProcess(database.lookup, newestFormat, now);
  const since = await findSetting(database.lookup, aloneSinceKey);
  if (isOlderActive) {
    if (since !== null) await database.write((queries) => deleteSetting(queries, aloneSinceKey));
    return false;
  }
  if (since === null) await database.write((queries) => replaceSetting(queries, aloneSinceKey, String(now)));
  return since !== null && now - Number(since) >= rollbackTime && requireMigration(database, newestFormat);
}
