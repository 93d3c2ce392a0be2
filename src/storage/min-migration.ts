import type { Database } from './database.ts';
import type { Queries } from './schema.ts';
import { minMigrationKey } from './setting-keys.ts';
import { findSetting, replaceSetting } from './settings.ts';

/**
 * The newest migration that a program must know to write to the store; null if the store has none. Programs that know it may run
 * side by side, even if one of them knows later migrations.
 */
export async function minMigration(queries: Queries): Promise<number | null> {
  const text = await findSetting(queries, minMigrationKey);
  return text === null ? null : Number(text);
}

/** From now on programs that don't know this migration are too old; returns whether that is new. It never decreases. */
export async function requireMigration(database: Database, number: number): Promise<boolean> {
  if (((await minMigration(database.read)) ?? 0) >= number) return false;
  return database.write(async (queries) => {
    if (((await minMigration(queries)) ?? 0) >= number) return false;
    await replaceSetting(queries, minMigrationKey, String(number));
    return true;
  });
}
