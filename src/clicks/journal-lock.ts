import { Database } from 'bun:sqlite';
import { chmodSync, mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

export interface Lock {
  release(): void;
}

/**
 * Holds a journal for as long as this process lives: SQLite's file lock, which the system itself takes back from the
 * dead. Null when somebody else holds it.
 */
export function lockJournal(folder: string): Lock | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  try {
    return lockFile(file);
  } catch (cause) {
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test((cause as { code?: string }).code ?? '')) throw cause;
    // What is in the file is of no use to anybody, and it was read: so nobody holds it. The file itself stays, or two who
    // find it so would lock one each.
    truncateSync(file, 0);
    return lockFile(file);
  }
}

function lockFile(file: string): Lock | null {
  const database = new Database(file, { create: true });
  try {
    // By name: to open it and close it again would take away the lock that this process may hold on it.
    chmodSync(file, 0o600);
    database.run('begin exclusive');
    return { release: () => database.close() };
  } catch (cause) {
    database.close();
    if ((cause as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw cause;
  }
}

export function removeJournal(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
