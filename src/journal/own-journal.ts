import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileLock } from '../storage/file-lock.ts';
import { folderOf, foldersIn, type JournalName } from './files.ts';
import { lockJournal, removeJournal } from './lock.ts';

const unusedIn = (dataDir: string): string => join(dataDir, 'journal-unused');

/**
 * The folder of this process's journal. It is created and locked in another folder before there is anything to write, and the
 * first hit moves it to the journals: a rename needs no file descriptor, and there may be none left then.
 */
export class OwnJournal {
  readonly #unused: string;
  readonly #folder: string;
  #lock: FileLock | null = null;
  #isInUse = false;

  constructor(dataDir: string, name: JournalName) {
    this.#unused = join(unusedIn(dataDir), name.process);
    this.#folder = folderOf(dataDir, name);
  }

  /** Its current path. Creates it if it doesn't exist. */
  prepare(): string {
    if (this.#lock === null) {
      this.#lock = lockJournal(this.#unused);
      // Another process considers it abandoned and is removing it.
      if (this.#lock === null) throw new Error('the journal is held by another process');
    }
    return this.#isInUse ? this.#folder : this.#unused;
  }

  /** Moves the folder to the journals. Called before the first hit is written. */
  use(): void {
    if (this.#isInUse) return;
    this.prepare();
    mkdirSync(dirname(this.#folder), { recursive: true, mode: 0o700 });
    renameSync(this.#unused, this.#folder);
    this.#isInUse = true;
  }

  release(): void {
    if (!this.#isInUse && this.#lock !== null) removeJournal(this.#unused);
    this.#lock?.release();
    this.#lock = null;
  }
}

/** Removes folders whose processes ended without using them. */
export function removeUnusedJournals(dataDir: string): void {
  for (const name of foldersIn(unusedIn(dataDir))) {
    const folder = join(unusedIn(dataDir), name);
    const lock = lockJournal(folder);
    if (lock === null) continue;
    removeJournal(folder);
    lock.release();
  }
}

/** How many running processes have a journal in this data folder that they haven't written to yet. */
export function countWritersWithoutHits(dataDir: string): number {
  const locked = foldersIn(unusedIn(dataDir)).filter((name) => {
    const lock = lockJournal(join(unusedIn(dataDir), name));
    lock?.release();
    return lock === null;
  });
  return locked.length;
}
