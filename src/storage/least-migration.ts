import type { Database } from './database.ts';
import type { Queries } from './schema.ts';
import { findSetting, replaceSetting } from './settings.ts';

const key = 'least_migration';

/**
 * The newest migration that a program must know to write to the store; null where the store doesn't say. Programs that know it
 * may run beside each other, though one of them knows later migrations, too.
 */
export async function leastMigration(queries: Queries): Promise<number | null> {
  const text = await findSetting(queries, key);
  return text === null ? null : Number(text);
}

/** From now on programs that don't know this migration are too old. It is never lowered. */
export async function requireMigration(database: Database, number: number): Promise<void> {
  if (((await leastMigration(database.read)) ?? 0) >= number) return;
  await database.write(async (queries) => {
    if (((await leastMigration(queries)) ?? 0) < number) await replaceSetting(queries, key, String(number));
  });
}
