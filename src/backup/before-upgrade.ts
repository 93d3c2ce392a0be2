import { Database as Sqlite } from 'bun:sqlite';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { hourLength } from '../rules/durations.ts';
import { StartProblem } from '../start-problem.ts';
import type { Database } from '../storage/database.ts';
import { type FileLock, lockFile } from '../storage/file-lock.ts';
import type { BeforeUpgrade } from '../storage/migrate.ts';
import { makePrivate } from '../storage/private-files.ts';
import { isVisitorTable } from './backup-stream.ts';
import { syncToDisk } from './sqlite-target.ts';

export const backupsIn = (dataDir: string): string => join(dataDir, 'backups');

const maxKept = 3;
/** Milliseconds in which a start continues an interrupted upgrade: the copy from its beginning is the one to restore. */
const upgradeWindow = hourLength;
const partialName = 'before-upgrade.partial';
const copyName = /^before-upgrade-from-(\d+)-to-(\d+)-[\dTZ.:-]+\.sqlite$/;

/** Copies a SQLite store into `backups/` before its tables are changed. The last three are kept. */
export function copyBeforeUpgrade(dataDir: string, onCopied: (file: string) => void): BeforeUpgrade {
  return async (database, from, to) => {
    const folder = backupsIn(dataDir);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = await waitForLock(join(folder, 'lock'));
    try {
      const now = new Date();
      if (await needsNoCopy(database, folder, to, now)) return;
      await requireRoom(database, folder);
      const file = join(
        folder,
        `before-upgrade-from-${from}-to-${to}-${now.toISOString().replaceAll(':', '-')}.sqlite`,
      );
      await copy(database, join(folder, partialName), file);
      deleteOldCopies(folder, file, from, to);
      onCopied(file);
    } finally {
      lock.release();
    }
  };
}

/** Processes that start at once take turns. */
async function waitForLock(path: string): Promise<FileLock> {
  for (;;) {
    const lock = lockFile(path);
    if (lock !== null) return lock;
    await Bun.sleep(100);
  }
}

async function needsNoCopy(database: Database, folder: string, to: number, now: Date): Promise<boolean> {
  const { rows } = await sql<{ number: number }>`select max(number) as number from migrations`.execute(
    database.read,
  );
  const done = rows[0]?.number ?? 0;
  if (done >= to) return true;
  return copiesIn(folder).some(
    (one) => one.to === to && one.from < done && now.getTime() - one.at < upgradeWindow,
  );
}

/** Bytes that a copy of the store takes at most. */
export const copySizeSql = `select (page_count - freelist_count) * page_size as bytes
  from pragma_page_count, pragma_freelist_count, pragma_page_size`;

export async function freeRoom(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function requireRoom(database: Database, folder: string): Promise<void> {
  const { rows } = await sql.raw<{ bytes: number }>(copySizeSql).execute(database.read);
  const [needed, free] = [rows[0]?.bytes ?? 0, await freeRoom(folder)];
  if (free < needed) throw noRoom(folder, `${megabytes(needed)} needed, ${megabytes(free)} free`);
}

const noRoom = (folder: string, why: string) =>
  new StartProblem(
    `The store can not be copied to ${folder} before the upgrade (${why}). Make room there, or make a backup elsewhere and set BACKUP_BEFORE_UPGRADE=off.`,
  );

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;

async function copy(database: Database, partialFile: string, file: string): Promise<void> {
  try {
    rmSync(partialFile, { force: true });
    makePrivate(partialFile);
    // Runs in a thread of the store: this thread goes on answering visitors that the service is starting.
    await sql`vacuum into ${partialFile}`.execute(database.read);
    deleteVisitorData(partialFile);
    await syncToDisk(partialFile);
    await rename(partialFile, file);
    await syncToDisk(join(file, '..'));
  } catch (cause) {
    rmSync(partialFile, { force: true });
    throw noRoom(join(file, '..'), (cause as Error).message);
  }
}

/** Data that tells a day's visitors apart is never backed up, and no trace of it is left in the file. */
function deleteVisitorData(file: string): void {
  using database = new Sqlite(file);
  for (const pragma of ['secure_delete = on', 'journal_mode = memory']) database.run(`pragma ${pragma}`);
  const tables = database
    .query<{ name: string }, []>("select name from sqlite_master where type = 'table'")
    .all();
  for (const { name } of tables) if (isVisitorTable(name)) database.run(`delete from ${name}`);
}

interface Copy {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** When it was created. */
  readonly at: number;
}

function copiesIn(folder: string): Copy[] {
  return readdirSync(folder).flatMap((name) => {
    const [, from, to] = copyName.exec(name) ?? [];
    const path = join(folder, name);
    return to === undefined ? [] : [{ path, from: Number(from), to: Number(to), at: statSync(path).mtimeMs }];
  });
}

/**
 * Of several copies for the same upgrade the last one is kept: an upgrade that is retried again and again doesn't replace the
 * others.
 */
function deleteOldCopies(folder: string, created: string, from: number, to: number): void {
  const others = copiesIn(folder).filter(({ path }) => path !== created);
  const same = others.filter((one) => one.from === from && one.to === to);
  const older = others.filter((one) => !same.includes(one)).sort((one, other) => other.at - one.at);
  for (const { path } of [...same, ...older.slice(maxKept - 1)]) rmSync(path, { force: true });
}
