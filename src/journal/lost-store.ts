import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasSegments, storeMarkIn } from './store-mark.ts';

/**
 * The name of a file that shows that this data folder once had a SQLite store, which is missing now: a mount failed, or the wrong
 * files were restored. An empty store made beside it would look like the loss of all data. Null if there is a store, or never was one.
 */
export function traceOfLostStore(dataDir: string): string | null {
  const file = join(dataDir, 'linnet.sqlite');
  // Looked for before the store, because another process on this folder may just be creating both, the store first.
  const trace = traceIn(dataDir);
  // SQLite takes an empty file for a new store, and deletes its -wal.
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 ? null : trace;
}

function traceIn(dataDir: string): string | null {
  const found = ['secret.key', 'linnet.sqlite-wal'].find((name) => existsSync(join(dataDir, name)));
  if (found !== undefined) return found;
  return storeMarkIn(dataDir) !== null || hasSegments(dataDir) ? 'journal' : null;
}

export const lostStoreMessage = (dataDir: string, trace: string): string =>
  `linnet.sqlite is missing or empty in ${dataDir}, where ${trace} is left of a store.`;

export const lostStoreAdvice = (restoreCommand: string): string =>
  `Put it back, or mount the disk that it is on; restore a backup with "${restoreCommand}"; or set DATABASE_URL if the store is on PostgreSQL. For a new, empty store set DATA_DIR to another folder, or move secret.key, journal and linnet.sqlite-wal away.`;
