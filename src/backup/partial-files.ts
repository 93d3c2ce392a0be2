import { readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { dayLength } from '../rules/durations.ts';

const hostName = hostname().replaceAll(/[^\w.]/g, '_');
const partialName = /\.backup-([\w.]+)-(\d+)\.partial$/;
/** A backup writes all the time: a file that hasn't changed for this long is abandoned. */
const abandonedAfter = dayLength;

/** The name of a backup until it is complete. */
export const partialFileOf = (file: string): string => `${file}.backup-${hostName}-${process.pid}.partial`;

/** Removes the partial files of killed backups from a file's folder, which may be shared by machines and containers. */
export function removeAbandonedPartialFiles(file: string): void {
  const folder = dirname(file);
  for (const name of namesIn(folder)) {
    const [, host, pid] = partialName.exec(name) ?? [];
    if (pid === undefined) continue;
    const hasEnded = host === hostName && !isAlive(Number(pid));
    removePartialFile(join(folder, name), hasEnded);
  }
}

function removePartialFile(partialFile: string, hasEnded: boolean): void {
  try {
    if (hasEnded || isOld(partialFile)) rmSync(partialFile, { force: true });
  } catch {
    // It may belong to another user. The backup is made anyway.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder need not be readable to be written to.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as { code?: string }).code !== 'ESRCH';
  }
}

function isOld(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > abandonedAfter;
}
