import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasSegments, storeMarkIn } from './store-mark.ts';

/**
 * What says that this data folder had a SQLite store, which is gone: a mount that failed, or a restore of the wrong files. An empty
 * store made beside it would look like the loss of all data. Null if there is a store, or never was one.
 */
export function remainsOfStore(dataDir: string): string | null {
  const file = join(dataDir, 'linnet.sqlite');
  // Looked for before the store, because another process on this folder may just be creating both, the store first.
  const remains = remainIn(dataDir);
  // SQLite takes an empty file for a new store, and deletes its -wal.
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 ? null : remains;
}

function remainIn(dataDir: string): string | null {
  const found = ['secret.key', 'linnet.sqlite-wal'].find((name) => existsSync(join(dataDir, name)));
  if (found !== undefined) return found;
  return storeMarkIn(dataDir) !== null || hasSegments(dataDir) ? 'journal' : null;
}

export const lostStoreFound = (dataDir: string, remains: string): string =>
  `linnet.sqlite is missing or empty in ${dataDir}, where ${remains} is left of a store.`;

export const lostStoreTodo = (restoreCommand: string): string =>
  `Put it back, or mount the disk that it is on; restore a backup with "${restoreCommand}"; or set DATABASE_URL if the store is on PostgreSQL. For a new, empty store set DATA_DIR to another folder, or move secret.key, journal and linnet.sqlite-wal away.`;
