import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { compressor, linesOf } from './backup-file.ts';
import { BackupProblem, type BackupStream } from './backup-stream.ts';
import { partialFileOf, removeAbandonedPartialFiles } from './partial-files.ts';
import { syncToDisk } from './sqlite-target.ts';

/** Writes to standard output. Resolves when the operating system has accepted all of it. */
export async function writeToPipe(backup: BackupStream): Promise<void> {
  // Standard output is left open: it ends with the process.
  const output = createWriteStream('', { fd: 1, autoClose: false });
  await pipeline(Readable.from(linesOf(backup)), compressor(), output);
}

/** A backup under this name is complete: until then it has a temporary name. It never replaces an existing file. */
export async function writeToFile(backup: BackupStream, file: string): Promise<void> {
  refuseExisting(file);
  removeAbandonedPartialFiles(file);
  const partialFile = partialFileOf(file);
  rmSync(partialFile, { force: true });
  const handle = await open(partialFile, 'wx', 0o600).catch((cause) => {
    throw new BackupProblem(
      `${partialFile} can not be written: ${cause.message}. Name a file in a folder that can.`,
    );
  });
  try {
    try {
      await pipeline(
        Readable.from(linesOf(backup)),
        compressor(),
        createWriteStream('', { fd: handle.fd, autoClose: false }),
      );
      await handle.sync();
    } catch (cause) {
      throw isFull(cause)
        ? new BackupProblem(
            `${file} can not be written: ${(cause as Error).message}. Free some space on its disk, or name a file on another.`,
          )
        : cause;
    } finally {
      // A stream that fails has already closed the handle, and its error is the one to report.
      await handle.close().catch(() => {});
    }
    await renamePartialFile(partialFile, file);
    await syncToDisk(dirname(file));
  } finally {
    rmSync(partialFile, { force: true });
  }
}

/** Whether the disk or the user's share of it is full, or the file is longer than its file system or limit allows. */
const isFull = (cause: unknown): boolean =>
  /^(ENOSPC|EDQUOT|EFBIG)$/.test((cause as NodeJS.ErrnoException | null)?.code ?? '');

/** If two processes write the same file at once, the second is refused, wherever the file system has hard links. */
async function renamePartialFile(partialFile: string, file: string): Promise<void> {
  try {
    await link(partialFile, file);
  } catch (cause) {
    if ((cause as { code?: string }).code === 'EEXIST') refuseExisting(file);
    await rename(partialFile, file);
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new BackupProblem(`${file} is there already. Name a file that is not.`);
}

/** A backup must not be written to or read from a terminal. */
export function refuseTerminal(descriptor: 0 | 1): void {
  if (!isatty(descriptor)) return;
  throw new BackupProblem(
    descriptor === 1
      ? 'A backup is not for a terminal. Name a file, or pipe it: linnet backup - | ssh … "cat > linnet.backup"'
      : 'Nothing comes through a pipe. Name the file, or pipe it: linnet restore - < linnet.backup',
  );
}
