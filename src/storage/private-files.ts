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
    // It exists, or SQLite will report more precisely why it can't be created.
  }
  for (const suffix of fileSuffixes) restrict(database + suffix, 0o600);
}

/** The same for existing files and folders, with everything in them. */
export function makeAllPrivate(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(folder, name);
    const entries = entriesIn(path);
    restrict(path, entries === null ? 0o600 : 0o700);
    for (const entry of entries ?? []) makeAllPrivate(path, [entry]);
  }
}

/** Null if it is not a folder. */
function entriesIn(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}

/** Without opening it. */
function restrict(path: string, mode: 0o600 | 0o700): void {
  try {
    chmodSync(path, mode);
  } catch {
    // It doesn't exist, or belongs to another user, whose decision it is.
  }
}
