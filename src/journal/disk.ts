import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** What the journal needs of the disk. Tests replace it with one that fails. */
export interface JournalDisk {
  open(path: string): number;
  /** Returns how many bytes were written, as the system call does. */
  write(file: number, bytes: Buffer, from: number, length: number, at: number): number;
  truncate(file: number, size: number): void;
  sync(file: number, done: (fault?: Error | null) => void): void;
  close(file: number): void;
}

export const realDisk: JournalDisk = {
  open: (path) => openSync(path, 'wx', 0o600),
  write: (file, bytes, from, length, at) => writeSync(file, bytes, from, length, at),
  truncate: (file, size) => ftruncateSync(file, size),
  sync: (file, done) => fdatasync(file, done),
  close: (file) => closeSync(file),
};
