import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileLock } from '../storage/file-lock.ts';
import { folderOf, type JournalName, namesIn } from './files.ts';
import { lockJournal, removeJournal } from './lock.ts';

const unusedIn = (dataDir: string): string => join(dataDir, 'journal-unused');

/**
 * The folder of this process's journal. It is made and locked aside, before there is anything to write, and only then moved
 * among the journals: that takes no file descriptor, when there may be none left.
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

  /** Where it is now, made when it isn't there yet. */
  prepare(): string {
    if (this.#lock === null) {
      this.#lock = lockJournal(this.#unused);
      // Somebody who looks for what the dead left behind was quicker: he takes it away.
      if (this.#lock === null) throw new Error('the journal is held by another process');
    }
    return this.#isInUse ? this.#folder : this.#unused;
  }

  /** To be called before the first hit is written: from now on it is a journal like others. */
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

/** Takes away what processes that have died had made and not used. */
export function removeUnusedJournals(dataDir: string): void {
  for (const name of namesIn(unusedIn(dataDir))) {
    const folder = join(unusedIn(dataDir), name);
    const lock = lockJournal(folder);
    if (lock === null) continue;
    removeJournal(folder);
    lock.release();
  }
}
