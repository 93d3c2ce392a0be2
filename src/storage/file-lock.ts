import { Database } from 'bun:sqlite';
import { truncateSync } from 'node:fs';
import { makePrivate } from './private-files.ts';

export interface FileLock {
  release(): void;
}

/**
 * Locks a file for as long as this process runs: by SQLite's lock on it, which the system releases when the process ends. Null
 * if another process holds it. The file's contents don't matter.
 */
export function lockFile(path: string): FileLock | null {
  try {
    return hold(path);
  } catch (cause) {
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(cause))) throw cause;
    // No other process holds the lock: otherwise the file could not have been read. It is truncated instead of replaced, because
    // another process may be doing the same.
    truncateSync(path, 0);
    return hold(path);
  }
}

function hold(path: string): FileLock | null {
  makePrivate(path);
  const database = new Database(path, { create: true });
  try {
    database.run('begin exclusive');
    return { release: () => database.close() };
  } catch (cause) {
    database.close();
    if (codeOf(cause).startsWith('SQLITE_BUSY')) return null;
    throw cause;
  }
}

const codeOf = (cause: unknown): string => (cause as { code?: string }).code ?? '';
