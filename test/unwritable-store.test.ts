import { expect, test } from 'bun:test';
import { chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { folderTodo } from '../src/rules/folder-todo.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { reportSkipped } from './support/one-file.ts';
import { runToExit } from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';
import { resultOf, runServer, runWithoutOthersFiles, temporaryFolder } from './support/program.ts';
import { smallDisk } from './support/small-disk.ts';

test('what to do about a folder that can not be written depends on the reason', () => {
  expect(folderTodo('EROFS', 'DATA_DIR')).toStartWith('Mount its disk for writing, or set DATA_DIR to ');
  expect(folderTodo('EACCES', 'DATA_DIR')).toStartWith('Run this as a user that may write there, ');
  expect(folderTodo('ENOSPC', 'DATA_DIR')).toStartWith('Free some space on its disk ');
  expect(folderTodo('ENOTDIR', 'DATA_DIR')).toBe('Set DATA_DIR to one that can.');
});

test('commands of another user say that they may not read the store, or write its folder', async () => {
  if (process.getuid?.() !== 0) return reportSkipped('the right to give files away');
  await using folder = await storeFolder();
  await using place = await temporaryFolder();
  const settings = { DATA_DIR: folder.path, PORT: '1' };
  const run = (...words: string[]) => resultOf(runWithoutOthersFiles(settings, words));
  const backup = ['backup', join(place.path, 'one.linnet')];

  await chown(folder.path, 65_534, 65_534);
  await chmod(folder.path, 0o755);
  for (const words of [backup, ['upgrade', '--check'], ['doctor']]) {
    const [code, out, err] = await run(...words);
    expect([words, code]).toEqual([words, 1]);
    expect(out + err).toMatch(/SQLite.* Its folder can not be written, which SQLite needs even for/i);
  }
  expect((await run('doctor'))[1]).toMatch(/can not be written .*\n +Run this as a user that may write/);

  const file = join(folder.path, 'linnet.sqlite');
  await chown(file, 65_534, 65_534);
  await chmod(file, 0o600);
  for (const words of [backup, ['upgrade', '--check'], ['doctor']]) {
    const [code, out, err] = await run(...words);
    expect([words, code]).toEqual([words, 1]);
    expect(out + err).toContain(' This user may not read it: run this as the user that Linnet runs as.\n');
  }
}, 120_000);

test('a first start beside PostgreSQL on a full disk names the folder', async () => {
  await using disk = await smallDisk();
  if (disk === null) return reportSkipped('the right to mount a disk');
  const DATA_DIR = join(disk.path, 'data');
  await mkdir(DATA_DIR);
  await disk.fill();
  for (const key of [{}, { SECRET_KEY: 'x'.repeat(64) }]) {
    const settings = { DATA_DIR, DATABASE_URL: await migratedPostgres(), PORT: '0', ...key };
    const [code, , err] = await resultOf(runServer(settings));
    expect(err).toContain(`The data folder ${DATA_DIR} can not be written (`);
    expect(err).toContain('). Free some space on its disk ');
    expect(code).toBe(1);
  }
}, 120_000);

test('a backup on a full disk names its file, and leaves nothing there', async () => {
  await using disk = await smallDisk();
  if (disk === null) return reportSkipped('the right to mount a disk');
  await using folder = await storeFolder();
  await disk.fill();
  const before = await readdir(disk.path);
  const file = join(disk.path, 'one.linnet');
  const [code, , err] = await runToExit(['backup', file], { DATA_DIR: folder.path });
  expect(err).toStartWith(`${file} can not be written: `);
  expect(err).toEndWith('. Free some space on its disk, or name a file on another.\n');
  expect(code).toBe(1);
  expect(await readdir(disk.path)).toEqual(before);
}, 120_000);

test('a lost store is restored over the empty file that a start on a full disk leaves', async () => {
  await using from = await storeFolder();
  await using folder = await temporaryFolder();
  const backup = join(folder.path, 'one.linnet');
  expect((await runToExit(['backup', backup], { DATA_DIR: from.path }))[0]).toBe(0);
  const settings = { DATA_DIR: join(folder.path, 'data') };
  await mkdir(settings.DATA_DIR);
  await writeFile(join(settings.DATA_DIR, 'secret.key'), 'x'.repeat(64));
  const file = join(settings.DATA_DIR, 'linnet.sqlite');
  await writeFile(file, '');
  expect(await runToExit(['upgrade', '--check'], settings)).toEqual([
    1,
    '',
    expect.stringContaining('linnet.sqlite is missing or empty'),
  ]);
  await writeFile(`${file}-wal`, 'the newest changes of another store');
  expect((await runToExit(['restore', backup], settings))[2]).toStartWith('There is a store already: ');
  await rm(`${file}-wal`);
  expect(await runToExit(['restore', backup], settings)).toEqual([0, expect.stringMatching(/^Restored/), '']);
  expect((await runToExit(['restore', backup], settings))[2]).toStartWith('There is a store already: ');
}, 120_000);

test('`upgrade --check` names a database that belongs to another program', async () => {
  await using folder = await temporaryFolder();
  const url = await freshPostgres();
  await using sql = new SQL({ url, max: 1 });
  await sql`create table migrations (id integer, name text)`;
  const [code, out, err] = await runToExit(['upgrade', '--check'], {
    DATA_DIR: folder.path,
    DATABASE_URL: url,
  });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(
    /^The database at \S+ can not be used: column "number" does not exist\. Check DATABASE_URL/,
  );
}, 120_000);

test('a database that only takes reads, or does not exist, is not called unreachable', async () => {
  await using folder = await temporaryFolder();
  const url = new URL(await migratedPostgres());
  const name = url.pathname.slice(1);
  const settings = { DATA_DIR: folder.path, DATABASE_URL: url.href };
  await using sql = new SQL({ url: url.href, max: 1 });
  await sql.unsafe(`alter database "${name}" set default_transaction_read_only = on`);
  const place = `The database at ${url.host}/`;
  expect((await runToExit(['nodes'], settings))[2]).toMatch(
    new RegExp(
      `^${place}${name} can not be used: .* read-only transaction\\. Promote a standby, or name in DATABASE_URL`,
    ),
  );
  url.pathname = '/none';
  expect((await runToExit(['nodes'], { ...settings, DATABASE_URL: url.href }))[2]).toBe(
    `${place}none can not be used: database "none" does not exist. Create it with "createdb --encoding=UTF8 --template=template0 NAME", or correct DATABASE_URL.\n`,
  );
}, 120_000);
