import { randomUUID } from 'node:crypto';
import { hasUsers } from './accounts/users.ts';
import type { Database } from './database.ts';
import { claimSetting, findSetting } from './settings.ts';

/** The setting with the random id of a store, which its backups include. */
export const storeIdSetting = 'store_id';

/**
 * The id of this store, which gets one now if it has none. `mark`: the id in the data folder. A store that has accounts but no id
 * was restored from a backup of an earlier version: it is the one that the folder belongs to.
 */
export async function storeIdOf(database: Database, mark: string | null): Promise<string> {
  const known = await findSetting(database.read, storeIdSetting);
  if (known !== null) return known;
  const id = mark !== null && (await hasUsers(database.read)) ? mark : randomUUID();
  await database.write((queries) => claimSetting(queries, storeIdSetting, id));
  // Another process may have been first.
  return (await findSetting(database.read, storeIdSetting)) ?? id;
}
