import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FileLock, lockFile } from '../storage/file-lock.ts';

/** Locks a journal, created if it doesn't exist, for as long as this process lives. Null when another process has the lock. */
export function lockJournal(folder: string): FileLock | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return lockFile(join(folder, 'lock'));
}

export function removeJournal(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
