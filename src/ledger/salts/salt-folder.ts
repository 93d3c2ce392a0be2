import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type SaltStore, saltLength } from '../visitor-hash.ts';

/** What file systems say that have no hard links. */
const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** A salt that is not used yet: other nodes may have another one for the day. */
const draftEnding = '.draft';
/** The day of a file, which no other program's file is taken for: the folder may be one of many things. */
const ownName = /^(-?\d{1,7})(?:\.draft)?(?:\.[\da-f]{12})?$/;

/**
 * The salts of the days that go on, each in a file of its own, so that the database and its backups never have one. The
 * workers of one data folder share them: the first file under a name stands.
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

  /** Keeps `salt` for the day unless it has one already. Returns the one that stands. */
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

  /** Every file of the days before, those included that a killed process hasn't finished. */
  #before(day: number): string[] {
    return this.#names().filter((name) => Number(ownName.exec(name)?.[1] ?? day) < day);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#path);
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw cause;
    }
  }

  /** Null also for a file of another length, which is no salt of ours. */
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
    const standing = this.#read(name);
    if (standing !== null) return standing;
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    this.#make(name, salt);
    const made = this.#read(name);
    if (made !== null) return made;
    // Its disk gave back something else than was synced.
    this.#destroy([name]);
    this.#make(name, salt);
    return this.#read(name) ?? salt;
  }

  /** Whole or not at all, and never over another: written under a name of its own, synced, then linked. */
  #make(name: string, salt: Uint8Array): void {
    const whole = join(this.#path, `${name}.${randomBytes(6).toString('hex')}`);
    const file = openSync(whole, 'wx', 0o600);
    try {
      writeSync(file, salt);
      fsyncSync(file);
      this.#name(whole, join(this.#path, name));
    } finally {
      closeSync(file);
      rmSync(whole, { force: true });
    }
    syncFolder(this.#path);
  }

  /** Where another salt stands already, this one is no salt of any day. */
  #name(whole: string, path: string): void {
    try {
      this.#link(whole, path);
    } catch (cause) {
      const { code = '' } = cause as { code?: string };
      if (code === 'EEXIST') return;
      if (!withoutLinks.has(code)) throw cause;
      // Of two workers that come to this line in the same moment, both may keep theirs: where there are links, never.
      if (!existsSync(path)) renameSync(whole, path);
    }
  }

  /** Written over before they go, as the disk keeps what a file had when only its name is removed. */
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
        // Another worker of this folder was quicker.
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

/** Without it a name that was removed may come back after a power cut. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const isMissing = (cause: unknown): boolean => (cause as { code?: string }).code === 'ENOENT';
