import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FileLock, lockFile } from '../storage/file-lock.ts';

/** Locks a journal, and creates it if needed, for as long as this process lives. Null if another process holds the lock. */
export function lockJournal(folder: string): FileLock | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return lockFile(join(folder, 'lock'));
}

export function removeJournal(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
