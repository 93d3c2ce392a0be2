import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockFile } from '../../src/storage/file-lock.ts';

const source = join(import.meta.dir, 'clickhouse');
const manifest = join(source, 'package.json');
/** Half a gigabyte: it is installed by the first who asks for it, and is no dependency of the whole. */
const installed = join(import.meta.dir, '../../node_modules/.cache/linnet-clickhouse');

/** One for all files of a process. */
const shared = globalThis as { linnetTestClickhouse?: Promise<string>; linnetTestClickhousePid?: number };

/** The address of a server: that of `CLICKHOUSE_TEST_URL` (`clickhouse://user:password@host:port`), or one that is started. */
const server = (): Promise<string> => {
  const given = process.env.CLICKHOUSE_TEST_URL;
  shared.linnetTestClickhouse ??= given ? Promise.resolve(given.replace(/\/$/, '')) : startServer();
  return shared.linnetTestClickhouse;
};

/** Of the server that is started; null where one is given. */
export async function clickhousePid(): Promise<number | null> {
  await server();
  return shared.linnetTestClickhousePid ?? null;
}

/** The address of a database of ClickHouse that is empty. */
export async function freshClickhouse(): Promise<string> {
  const address = await server();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await askClickhouse(`${address}/default`, `create database ${name}`);
  return `${address}/${name}`;
}

/** Asks past Linnet. */
export async function askClickhouse(url: string, sql: string): Promise<string> {
  const { host, username, password, pathname } = new URL(url.replace(/^clickhouse/, 'http'));
  const answer = await fetch(`http://${host}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': username || 'default', 'X-ClickHouse-Key': password },
    body: sql,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
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

/** Whether tests can have a ClickHouse: one that is given, or the library from npm, for which npm and its registry are needed. */
export const hasClickhouse = async (): Promise<boolean> =>
  Boolean(process.env.CLICKHOUSE_TEST_URL) || isInstalled();

/** One process installs it, and the others wait. */
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
 * Not with a lockfile: that of this library isn't whole where the registry doesn't have it for other systems, and then npm refuses
 * it.
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
  const isThere = (await npm.exited) === 0 && existsSync(join(folder, 'node_modules/@chdb'));
  await rm(installed, { recursive: true, force: true });
  if (isThere) await rename(folder, installed);
  return isThere;
}

/** The folder is there once all of it is, and has the version that is wanted. */
async function isCurrent(): Promise<boolean> {
  const has = Bun.file(join(installed, 'package.json'));
  return (await has.exists()) && (await has.text()) === (await Bun.file(manifest).text());
}
