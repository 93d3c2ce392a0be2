import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import type { StoreKind } from './app.ts';
import { copyOfPostgres, freshPostgres } from './postgres.ts';
import { temporaryFolder } from './program.ts';

/** Each is created once per process, because copying takes a tenth of the time of the migrations. */
const templates = globalThis as { linnetTestSqlite?: Promise<string>; linnetTestTemplate?: Promise<string> };

const failed = (cause: Error): never => {
  throw cause;
};

/** A data folder with an empty, fully migrated SQLite store, on which a program starts with two thirds of the CPU. */
export async function storeFolder(): Promise<Awaited<ReturnType<typeof temporaryFolder>>> {
  const folder = await temporaryFolder();
  await migratedSqlite(folder.path);
  return folder;
}

/** Puts an empty, fully migrated SQLite store into the folder. */
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

/** The URL of an empty, fully migrated PostgreSQL database. */
export async function migratedPostgres(): Promise<string> {
  templates.linnetTestTemplate ??= makePostgres();
  return copyOfPostgres(await templates.linnetTestTemplate);
}

/** An empty, fully migrated database, until it is disposed of. */
export async function openedDatabase(kind: StoreKind): Promise<Database & AsyncDisposable> {
  const folder = await storeFolder();
  const url = kind === 'postgres' ? await migratedPostgres() : null;
  const database = await openDatabase(url, folder.path, () => {});
  const dispose = async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  };
  return { ...database, [Symbol.asyncDispose]: dispose };
}

async function makePostgres(): Promise<string> {
  const url = await freshPostgres();
  await (await openDatabase(url, '', failed)).close();
  return new URL(url).pathname.slice(1);
}
