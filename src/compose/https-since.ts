import type { Database } from '../storage/database.ts';
import { claimSetting, findSetting } from '../storage/settings.ts';

/** The setting with the instant at which HTTPS was first spoken for the service's host. */
const key = 'https_since';
const day = 24 * 60 * 60 * 1000;

/** Whether HTTPS has been spoken for a day: only then are browsers told to use nothing else. */
export async function httpsIsWell(database: Database, now: () => number): Promise<() => boolean> {
  await database.write((queries) => claimSetting(queries, key, String(now())));
  const since = Number(await findSetting(database.read, key));
  return () => now() - since >= day;
}
