import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { isPartition } from '../ledger/stores/partitions.ts';
import { isUnavailable } from '../rules/transient-error.ts';
import { readBackupFile } from './backup-file.ts';
import { type BackupPart, BackupProblem, type BackupStream, type BackupTarget } from './backup-stream.ts';
import { withRowsForPacks } from './other-database.ts';
import { readSqlite } from './sqlite-source.ts';

const sqliteMagic = 'SQLite format 3\0';

/**
 * Opens a backup file, or the copy of a SQLite store that an upgrade has kept. '-' is standard input, for a backup file. What isn't a
 * file, such as the pipe at /dev/stdin, can only be read once.
 */
export async function openBackup(file: string, now: Date): Promise<BackupStream> {
  if (file === '-') return readBackupFile(createReadStream('', { fd: 0, autoClose: false }));
  const isSqlite = !(await isPipe(file)) && (await firstBytesOf(file)) === sqliteMagic;
  return isSqlite ? readSqlite(file, now) : readBackupFile(createReadStream(file));
}

const unreadable = (file: string, cause: unknown): BackupProblem =>
  new BackupProblem(`${file} can not be read: ${(cause as Error).message}.`);

async function isPipe(file: string): Promise<boolean> {
  try {
    const found = await stat(file);
    return !found.isFile() && !found.isDirectory();
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

async function firstBytesOf(file: string): Promise<string> {
  try {
    await using handle = await open(file, 'r');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sqliteMagic.length));
    return buffer.toString('latin1', 0, bytesRead);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** All or nothing: the target exists once all of the backup was read and verified. Returns the number of rows. */
export async function restore(backup: BackupStream, target: BackupTarget): Promise<number> {
  try {
    await target.begin(backup.header);
    const rows = await fill(target, { ...backup, parts: resumable(backup.parts) });
    await target.finish();
    return rows;
  } finally {
    await target.close();
    await backup.close();
  }
}

async function fill(target: BackupTarget, backup: BackupStream): Promise<number> {
  let rows = 0;
  try {
    const parts = withoutPartitions(backup.parts);
    for await (const part of backup.header.kind === target.kind ? parts : withRowsForPacks(parts)) {
      await target.take(part);
      if (part.part === 'rows') rows += part.count;
    }
    return rows;
  } catch (cause) {
    // Rows that the store refuses may come from a damaged backup, which only the checksum at its end reveals.
    if (!isUnavailable(cause)) for await (const _ of backup.parts);
    throw cause;
  }
}

/** Earlier versions included detached partitions of `hit_link_groups`. */
async function* withoutPartitions(parts: AsyncIterable<BackupPart>): AsyncGenerator<BackupPart> {
  let isSkipped = false;
  for await (const part of parts) {
    if (part.part !== 'rows') isSkipped = part.part === 'table' && isPartition(part.name);
    if (!isSkipped) yield part;
  }
}

/** Lets another loop continue where one was broken off. */
function resumable(parts: AsyncIterable<BackupPart>): AsyncIterable<BackupPart> {
  const iterator = parts[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}
