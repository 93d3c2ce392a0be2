import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../../../journal/files.ts';
import { type SaltStore, saltLength } from '../visitor-hash.ts';

/** Error codes of file systems without hard links. */
const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** A salt that is not used yet: other nodes may have another one for the day. */
const draftEnding = '.draft';
/** The day in a file's name. Strict, because the folder may contain other programs' files. */
const ownName = /^(-?\d{1,7})(?:\.draft)?(?:\.[\da-f]{12})?$/;

/**
 * The salts of current days, each in a file of its own, so that the database and its backups never contain one. The workers of
 * one data folder share them: the first file under a name counts.
 */
export class SaltFolder {
  readonly #path: string;
  readonly #link: typeof linkSync;

  constructor(path: string, link = linkSync) {
    this.#path = path;
    this.#link = link;
  }

  find(day: number): Uint8Array | null {
    return this.#read(String(day));
  }

  /** Stores `salt` for the day unless it has one already. Returns the day's salt. */
  keep(day: number, salt: Uint8Array): Uint8Array {
    return this.#settle(String(day), salt);
  }

  /** The same for a salt that isn't used yet. */
  keepDraft(day: number, salt: Uint8Array): Uint8Array {
    return this.#settle(`${day}${draftEnding}`, salt);
  }

  destroyDraft(day: number): void {
    this.#destroy([`${day}${draftEnding}`]);
  }

  /** Whether `destroyBefore` has something to do. */
  hasBefore(day: number): boolean {
    return this.#before(day).length > 0;
  }

  destroyBefore(day: number): void {
    this.#destroy(this.#before(day));
  }

  /** All files of earlier days, including unfinished ones of killed processes. */
  #before(day: number): string[] {
    return filesIn(this.#path).filter((name) => Number(ownName.exec(name)?.[1] ?? day) < day);
  }

  /** Null also for a file of another length, which isn't a salt of ours. */
  #read(name: string): Uint8Array | null {
    try {
      const bytes = readFileSync(join(this.#path, name));
      return bytes.length === saltLength ? bytes : null;
    } catch (cause) {
      if (isMissing(cause)) return null;
      throw cause;
    }
  }

  #settle(name: string, salt: Uint8Array): Uint8Array {
    const existing = this.#read(name);
    if (existing !== null) return existing;
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    this.#write(name, salt);
    const created = this.#read(name);
    if (created !== null) return created;
    // The disk returned other bytes than were synced.
    this.#destroy([name]);
    this.#write(name, salt);
    return this.#read(name) ?? salt;
  }

  /** Atomic, and never over another file: written under a temporary name, synced, then linked. */
  #write(name: string, salt: Uint8Array): void {
    const temporary = join(this.#path, `${name}.${randomBytes(6).toString('hex')}`);
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, salt);
      fsyncSync(file);
      this.#linkAs(temporary, join(this.#path, name));
    } finally {
      closeSync(file);
      rmSync(temporary, { force: true });
    }
    syncFolder(this.#path);
  }

  /** If another salt exists already, this one is discarded. */
  #linkAs(temporary: string, path: string): void {
    try {
      this.#link(temporary, path);
    } catch (cause) {
      const { code = '' } = cause as { code?: string };
      if (code === 'EEXIST') return;
      if (!withoutLinks.has(code)) throw cause;
      // Two workers that reach this line at the same moment may both keep theirs; where there are links, they can't.
      if (!existsSync(path)) renameSync(temporary, path);
    }
  }

  /** Overwritten before they are removed, because a disk keeps the contents of a removed file. */
  #destroy(names: readonly string[]): void {
    for (const name of names) {
      const path = join(this.#path, name);
      try {
        const file = openSync(path, 'r+');
        try {
          writeSync(file, randomBytes(saltLength), 0, saltLength, 0);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        unlinkSync(path);
      } catch (cause) {
        // Another worker on this folder was faster.
        if (!isMissing(cause)) throw cause;
      }
    }
    if (names.length > 0) syncFolder(this.#path);
  }
}

/** For nodes that share no database with others. */
export const ownSalts = (folder: SaltFolder): SaltStore => ({
  settle: async (day, fresh) => folder.keep(day, fresh),
  forgetBefore: async (day) => folder.destroyBefore(day),
});

/** Without it a removed name may come back after a power failure. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const isMissing = (cause: unknown): boolean => (cause as { code?: string }).code === 'ENOENT';
