import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/open.ts';
import { copyOfPostgres, freshPostgres } from './postgres.ts';
import { temporaryFolder } from './program.ts';

/** Each made once in a process: a copy takes a tenth of what the migrations do. */
const templates = globalThis as { linnetTestSqlite?: Promise<string>; linnetTestTemplate?: Promise<string> };

const failed = (cause: Error): never => {
  throw cause;
};

/** A data folder with a SQLite store that is up to date and empty: a program starts in it with two thirds of the CPU. */
export async function storeFolder(): Promise<Awaited<ReturnType<typeof temporaryFolder>>> {
  const folder = await temporaryFolder();
  await migratedSqlite(folder.path);
  return folder;
}

/** Puts a SQLite store into the folder that is up to date and empty. */
export async function migratedSqlite(dataDir: string): Promise<void> {
  templates.linnetTestSqlite ??= makeSqlite();
  await copyFile(await templates.linnetTestSqlite, join(dataDir, 'linnet.sqlite'));
}

async function makeSqlite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'linnet-template-'));
  await (await openDatabase(null, folder, failed)).close();
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'linnet.sqlite');
}

/** The address of a PostgreSQL database that is up to date and empty. */
export async function migratedPostgres(): Promise<string> {
  templates.linnetTestTemplate ??= makePostgres();
  return copyOfPostgres(await templates.linnetTestTemplate);
}

async function makePostgres(): Promise<string> {
  const url = await freshPostgres();
  await (await openDatabase(url, '', failed)).close();
  return new URL(url).pathname.slice(1);
}
