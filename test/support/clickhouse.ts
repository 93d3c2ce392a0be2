import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ClickServer, clickServerOf } from '../../src/rules/clicks-url.ts';
import { lockFile } from '../../src/storage/file-lock.ts';

const source = join(import.meta.dir, 'clickhouse');
const manifest = join(source, 'package.json');
/** ClickHouse takes half a gigabyte, so it is no dependency of the project: the first test that needs it installs it. */
const installed = join(import.meta.dir, '../../node_modules/.cache/linnet-clickhouse');

/** One server for all test files of a process. */
const shared = globalThis as { linnetTestClickhouse?: Promise<string>; linnetTestClickhousePid?: number };

/** The server's URL: `CLICKHOUSE_TEST_URL` (`clickhouse://user:password@host:port`), or that of a server started here. */
const server = (): Promise<string> => {
  const given = process.env.CLICKHOUSE_TEST_URL;
  shared.linnetTestClickhouse ??= given ? Promise.resolve(given.replace(/\/$/, '')) : startServer();
  return shared.linnetTestClickhouse;
};

/** The process of the server started here; null if `CLICKHOUSE_TEST_URL` is set. */
export async function clickhousePid(): Promise<number | null> {
  await server();
  return shared.linnetTestClickhousePid ?? null;
}

/** The URL of a new, empty database in ClickHouse. */
export async function freshClickhouse(): Promise<string> {
  const address = await server();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await queryClickhouse(`${address}/default`, `create database ${name}`);
  return `${address}/${name}`;
}

/** The server and database that a URL names. */
export function serverOf(url: string): ClickServer {
  const server = clickServerOf(url);
  if (server === null) throw new Error(`${url} is no address of ClickHouse`);
  return server;
}

/** Queries ClickHouse directly, not through Linnet. */
export async function queryClickhouse(url: string, sql: string): Promise<string> {
  const { host, username, password, pathname } = new URL(url.replace(/^clickhouse/, 'http'));
  const response = await fetch(`http://${host}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': username || 'default', 'X-ClickHouse-Key': password },
    body: sql,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

async function startServer(): Promise<string> {
  if (!(await isInstalled())) throw new Error('ClickHouse can not be installed here');
  const child = Bun.spawn([process.execPath, join(source, 'server.ts'), installed], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  child.unref();
  shared.linnetTestClickhousePid = child.pid;
  for await (const chunk of child.stdout)
    return `clickhouse://127.0.0.1:${Buffer.from(chunk).toString().trim()}`;
  throw new Error('ClickHouse did not start');
}

/** Whether tests can use ClickHouse: `CLICKHOUSE_TEST_URL`, or the library from npm, which needs npm and its registry. */
export const hasClickhouse = async (): Promise<boolean> =>
  Boolean(process.env.CLICKHOUSE_TEST_URL) || isInstalled();

/** One process installs it while the others wait. */
async function isInstalled(): Promise<boolean> {
  await mkdir(dirname(installed), { recursive: true });
  for (;;) {
    if (await isCurrent()) return true;
    const lock = lockFile(`${installed}.lock`);
    if (lock !== null) {
      try {
        return await install();
      } finally {
        lock.release();
      }
    }
    await Bun.sleep(200);
  }
}

/**
 * Without a lockfile: the one of this library is incomplete where the registry lacks the packages for other systems,
 * and npm then refuses it.
 */
async function install(): Promise<boolean> {
  if (await isCurrent()) return true;
  const folder = `${installed}.new`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await copyFile(manifest, join(folder, 'package.json'));
  const npm = Bun.spawn(
    ['npm', 'install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=silent'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  const isComplete = (await npm.exited) === 0 && existsSync(join(folder, 'node_modules/@chdb'));
  await rm(installed, { recursive: true, force: true });
  if (isComplete) await rename(folder, installed);
  return isComplete;
}

/** The folder appears only when the installation is complete, so only its version needs checking. */
async function isCurrent(): Promise<boolean> {
  const installedManifest = Bun.file(join(installed, 'package.json'));
  return (
    (await installedManifest.exists()) &&
    (await installedManifest.text()) === (await Bun.file(manifest).text())
  );
}
