import { readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

const here = hostname().replaceAll(/[^\w.]/g, '_');
const form = /\.backup-([\w.]+)-(\d+)\.partial$/;
/** A backup writes all the time: a file that hasn't changed for so long is abandoned. */
const abandoned = 24 * 60 * 60 * 1000;

/** The name of a backup until it is complete. */
export const draftOf = (file: string): string => `${file}.backup-${here}-${process.pid}.partial`;

/** Removes the drafts of killed backups from a file's folder. It may be shared by machines and containers. */
export function dropAbandonedDrafts(file: string): void {
  const folder = dirname(file);
  for (const name of namesIn(folder)) {
    const [, host, pid] = form.exec(name) ?? [];
    if (pid === undefined) continue;
    const isDead = host === here && !isAlive(Number(pid));
    dropDraft(join(folder, name), isDead);
  }
}

function dropDraft(draft: string, isDead: boolean): void {
  try {
    if (isDead || isOld(draft)) rmSync(draft, { force: true });
  } catch {
    // It may belong to another user: no reason not to make a backup.
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
  return found !== undefined && Date.now() - found.mtimeMs > abandoned;
}
