import { join, resolve } from 'node:path';
import { isThere, migrationsOf, openReadOnlyStore } from '../backup/read-only-store.ts';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';
import { databaseName, requireNoLostStore } from '../store.ts';
import { explainStoreError } from './explain-store-error.ts';

/** For commands that only make sense on an existing store: opening it would create one in the wrong place. */
export async function requireStore(config: Config): Promise<void> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) {
    requireStoreIn(config);
    return;
  }
  if (await explainStoreError(config, hasTables(databaseUrl, dataDir))) return;
  throw new StartProblem(
    `There is no store in the database at ${databaseName(databaseUrl)}. Set DATABASE_URL to that of the server, or start the server first.`,
  );
}

/** What to print once a command has opened the store, and thereby created it; null if it is there. */
export async function newStoreNotice(config: Config): Promise<string | null> {
  const { databaseUrl, secretKey } = config;
  const dataDir = resolve(config.dataDir);
  if (databaseUrl === null)
    return hasFile(config) ? null : `There was no store in ${dataDir}: a new one was made there.\n`;
  if (await explainStoreError(config, hasTables(databaseUrl, dataDir))) return null;
  const key =
    secretKey === null
      ? ` Its secret key is in ${join(dataDir, 'secret.key')}: every node needs that one.`
      : '';
  return `There was no store in the database at ${databaseName(databaseUrl)}: a new one was made there.${key}\n`;
}

/** For SQLite alone: an empty database of PostgreSQL may be meant to get its tables. */
export function requireStoreIn(config: Config): void {
  if (config.databaseUrl !== null || hasFile(config)) return;
  requireNoLostStore(config);
  throw new StartProblem(
    `There is no store in ${resolve(config.dataDir)}. Set DATA_DIR to the data folder of the server (or DATABASE_URL), or start the server first.`,
  );
}

/** True for a folder that may not be looked into: `openStore` says so. */
function hasFile({ dataDir }: Config): boolean {
  try {
    return isThere(join(resolve(dataDir), 'linnet.sqlite'));
  } catch {
    return true;
  }
}

async function hasTables(databaseUrl: string, dataDir: string): Promise<boolean> {
  await using store = await openReadOnlyStore(databaseUrl, resolve(dataDir));
  return store !== null && (await migrationsOf(store)) > 0;
}
