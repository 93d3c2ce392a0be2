import { chmodSync, closeSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Suffixes of the files of a SQLite database. */
const fileSuffixes = ['', '-wal', '-shm', '-journal'] as const;

/**
 * Makes a database readable by this user only, before it is opened. SQLite gives the other files the mode of the main file.
 *
 * An existing file is not opened for this: closing it again would release this process's locks on it.
 */
export function makePrivate(database: string): void {
  try {
    closeSync(openSync(database, 'wx', 0o600));
  } catch {
    // It exists, or SQLite reports better why it can't be created.
  }
  for (const beside of fileSuffixes) restrict(database + beside, 0o600);
}

/** The same for existing files and folders, with everything in them. */
export function makeAllPrivate(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(folder, name);
    const inside = entriesIn(path);
    restrict(path, inside === null ? 0o600 : 0o700);
    for (const entry of inside ?? []) makeAllPrivate(path, [entry]);
  }
}

/** Null if it is no folder. */
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
