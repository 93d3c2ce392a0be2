import { Database } from 'bun:sqlite';
import { truncateSync } from 'node:fs';
import { restrict } from './private-files.ts';

export interface FileLock {
  release(): void;
}

/**
 * Holds a file for as long as this process lives: by SQLite's lock on it, which the system releases when the process dies.
 * Null when another process holds it. What is in the file doesn't matter.
 */
export function lockFile(path: string): FileLock | null {
  try {
    return hold(path);
  } catch (cause) {
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(cause))) throw cause;
    // No process holds it, or it would not have been read. It stays the same file, as another process may be doing the same.
    truncateSync(path, 0);
    return hold(path);
  }
}

function hold(path: string): FileLock | null {
  const database = new Database(path, { create: true });
  try {
    // By name: to open it and close it again would take away a lock that this process has on it.
    restrict(path, 0o600);
    database.run('begin exclusive');
    return { release: () => database.close() };
  } catch (cause) {
    database.close();
    if (codeOf(cause).startsWith('SQLITE_BUSY')) return null;
    throw cause;
  }
}

const codeOf = (cause: unknown): string => (cause as { code?: string }).code ?? '';
