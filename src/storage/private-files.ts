import { chmodSync, closeSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files that belong to a SQLite database. */
const besides = ['', '-wal', '-shm', '-journal'] as const;

/**
 * Makes a database readable by this user only, before it is opened. What SQLite puts beside a file has the mode of that file.
 *
 * A file that is there is not opened for this: to close it again would take away the locks of this process on it.
 */
export function makePrivate(database: string): void {
  try {
    closeSync(openSync(database, 'wx', 0o600));
  } catch {
    // It is there, or SQLite says better why it can't be.
  }
  for (const beside of besides) restrict(database + beside, 0o600);
}

/** The same for files and folders that are there already, each with all that is in it. */
export function makeAllPrivate(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(folder, name);
    const inside = entriesIn(path);
    restrict(path, inside === null ? 0o600 : 0o700);
    for (const entry of inside ?? []) makeAllPrivate(path, [entry]);
  }
}

/** Null when it is no folder. */
function entriesIn(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}

/** Without opening it. */
export function restrict(path: string, mode: 0o600 | 0o700): void {
  try {
    chmodSync(path, mode);
  } catch {
    // It doesn't exist, or belongs to another user, whose decision it is.
  }
}
