import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Bytes. With less, SQLite can't create the files that it opens, and says "disk I/O error". */
const minSpace = 1e6;

/** What to do about a SQLite file that can't be opened, after a blank; empty if the error says all that is known. */
export function sqliteTodo(file: string, error: string): string {
  const folder = dirname(file);
  if (/disk is full/.test(error) || hasNoSpace(folder))
    return ' The disk of that folder is full: free some space there.';
  if (/not a database|malformed/.test(error))
    return ' It is damaged: restore a backup (docs/operations.md, "Backup and restore"), and keep what is there until that has worked.';
  if (/^(EACCES|EPERM)$/.test(accessError(file, constants.R_OK)))
    return ' This user may not read it: run this as the user that Linnet runs as.';
  if (accessError(folder, constants.W_OK) !== '')
    return ' Its folder can not be written, which SQLite needs even for reading: mount its disk for writing, or copy the file, with its -wal if there is one, to another folder.';
  return '';
}

/** Empty if that access is granted. */
function accessError(path: string, mode: number): string {
  try {
    accessSync(path, mode);
    return '';
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? '';
  }
}

function hasNoSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < minSpace;
  } catch {
    return false;
  }
}
