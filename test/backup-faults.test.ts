import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { BackupProblem } from '../src/backup/backup-stream.ts';
import { backup as makeBackup } from '../src/cli/backup.ts';
import { restoreBackup } from '../src/cli/restore-backup.ts';
import { StartProblem } from '../src/start-problem.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { allTables } from './support/all-tables.ts';
import { storeKinds } from './support/app.ts';
import { eventually, pollOften } from './support/eventually.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { runToExit } from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';
import {
  runCommand,
  runServer,
  runWithFileSizeLimit,
  shellCommand,
  temporaryFolder,
} from './support/program.ts';
import { runHere } from './support/run-here.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

interface Store {
  readonly words: number;
  readonly settings: Record<string, string> & { DATA_DIR: string };
  /** A complete backup of it. */
  readonly backup: string;
}

/** A store with more rows than fit into one part of a backup. */
let store: Store;
/** A store so large that a backup takes a while. */
let large: Store;

async function createStore(name: string, words: number): Promise<Store> {
  const settings = { DATA_DIR: join(folder.path, name) };
  await mkdir(settings.DATA_DIR);
  await migratedSqlite(settings.DATA_DIR);
  const database = new Database(join(settings.DATA_DIR, 'linnet.sqlite'));
  database.run(`with recursive more (i) as (select 1 union all select i + 1 from more where i < ${words})
    insert into words (word) select 'word ' || i || hex(randomblob(20)) from more`);
  database.close();
  const backup = join(folder.path, `${name}.linnet`);
  await runHere(makeBackup, [backup], settings);
  return { words, settings, backup };
}

beforeAll(async () => {
  folder = await temporaryFolder();
  store = await createStore('store', 20_000);
  large = await createStore('large', 200_000);
}, 240_000);
afterAll(() => folder[Symbol.asyncDispose]());

const target = async (): Promise<Record<string, string> & { DATA_DIR: string }> => {
  const DATA_DIR = join(folder.path, crypto.randomUUID());
  await mkdir(DATA_DIR);
  return { DATA_DIR };
};

const storesIn = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith('linnet.sqlite'));

/** Why a restore is refused, without a process of its own: the command prints this as its only line, and exits with 1. */
async function refusalOf(
  file: string,
  environment: Record<string, string>,
  values: Record<string, boolean> = {},
): Promise<string> {
  const problem = await runHere(restoreBackup, [file], environment, values).catch((cause: unknown) => cause);
  if (!(problem instanceof BackupProblem || problem instanceof StartProblem)) throw problem;
  expect(problem.message.trim().split('\n')).toHaveLength(1);
  return problem.message;
}

describe('a restore refuses, and leaves no store behind', () => {
  const compressed = (text: string) => Bun.zstdCompressSync(Buffer.from(text));
  const header = (migration: number) =>
    `${JSON.stringify({ linnet_backup: 1, database: 'sqlite', migration, made_at: '', key_mark: null })}\n`;
  const withLastLine = (text: string) => `${text}{"rows":0,"sha256":"${Bun.SHA256.hash(text, 'hex')}"}\n`;
  const damaged = async (change: (bytes: Buffer) => Buffer | Uint8Array): Promise<Uint8Array> =>
    change(await readFile(store.backup));

  test.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ['an empty file', () => new Uint8Array(0), /cut off or damaged/],
    ['a text file', () => Buffer.from('hello '.repeat(100)), /^This is not a backup of Linnet\.$/],
    ['a compressed text file', () => compressed('hello\n'), /^This is not a backup of Linnet\.$/],
    [
      'a backup of a newer version',
      () => compressed(header(newestMigration + 1)),
      /^This backup was made by a newer Linnet/,
    ],
    [
      'a truncated backup',
      () => damaged((bytes) => bytes.subarray(0, bytes.length >> 1)),
      /cut off or damaged/,
    ],
    [
      'a backup of which hardly anything has arrived',
      () => damaged((bytes) => bytes.subarray(0, 200)),
      /cut off or damaged/,
    ],
    [
      'a backup without its last hundred bytes',
      () => damaged((bytes) => bytes.subarray(0, -100)),
      /cut off or damaged/,
    ],
    [
      'a backup with one changed byte',
      () =>
        damaged((bytes) => {
          const middle = bytes.length >> 1;
          bytes[middle] = (bytes[middle] ?? 0) ^ 1;
          return bytes;
        }),
      /damaged/,
    ],
    ['a backup without its last line', () => compressed(header(newestMigration)), /its end is missing/],
    [
      'a backup with a wrong checksum',
      () => compressed(`${header(newestMigration)}{"rows":0,"sha256":"00"}\n`),
      /its checksum does not match/,
    ],
    [
      'a damaged backup whose rows already fail to be inserted',
      () =>
        compressed(
          `${header(newestMigration)}{"table":"words","columns":["id","word"],"bytes":[]}\n[[1,"a"],[1,"a"]]\n{"rows":2,"sha256":"00"}\n`,
        ),
      /its checksum does not match/,
    ],
    [
      'a backup with an unknown table',
      () =>
        compressed(
          withLastLine(`${header(newestMigration)}{"table":"nonsense","columns":["id"],"bytes":[]}\n`),
        ),
      /nonsense/,
    ],
  ])('%s', async (_, bytes, line) => {
    const settings = await target();
    const file = join(folder.path, 'broken.linnet');
    await writeFile(file, await bytes());
    expect(await refusalOf(file, settings)).toMatch(line);
    expect(storesIn(settings.DATA_DIR)).toEqual([]);
  });

  test('a missing or invalid file', async () => {
    const settings = await target();
    const missing = join(folder.path, 'no such file');
    expect(await refusalOf(missing, settings)).toMatch(/can not be read: ENOENT/);
    expect(await refusalOf(folder.path, settings)).toMatch(/can not be read: EISDIR/);
    await expect(runHere(restoreBackup, [], settings)).rejects.toThrow(
      /^The backup to restore, or - for a pipe, is needed\.$/,
    );
    expect(storesIn(settings.DATA_DIR)).toEqual([]);
  });

  test('a file that is no backup, with PostgreSQL as the target', async () => {
    const settings = { ...(await target()), DATABASE_URL: await freshPostgres() };
    const file = join(folder.path, 'no backup.linnet');
    await writeFile(file, 'hello');
    expect(await runToExit(['restore', file], settings)).toEqual([
      1,
      '',
      'This is not a backup of Linnet.\n',
    ]);
  }, 240_000);

  test('a target whose secret key is damaged, also if the key of the backup is lost', async () => {
    const settings = await target();
    writeFileSync(join(settings.DATA_DIR, 'secret.key'), 'short');
    const reason = /^The secret key cannot be used: .*secret\.key is empty or cut off/;
    expect(await refusalOf(store.backup, settings)).toMatch(reason);
    expect(await refusalOf(store.backup, settings, { 'lost-key': true })).toMatch(reason);
    expect(storesIn(settings.DATA_DIR)).toEqual([]);
  });

  test('a target with an existing store, or a running server', async () => {
    const settings = { ...(await target()), PORT: '0' };
    const server = runServer(settings);
    await server.address();
    expect(await refusalOf(store.backup, settings)).toMatch(/is in use by another Linnet: process/);
    server.kill('SIGTERM');
    await server.exited;
    const before = await allTables(settings.DATA_DIR, '');
    expect(await refusalOf(store.backup, settings)).toMatch(
      /^There is a store already: .*linnet\.sqlite\. Move /,
    );
    expect(await allTables(settings.DATA_DIR, '')).toEqual(before);
    const withTables = { ...settings, DATABASE_URL: await migratedPostgres() };
    expect(await refusalOf(store.backup, withTables)).toMatch(/^The database has tables already, such as /);
  }, 240_000);
});

test('backups and restores work through a pipe, and never overwrite a file', async () => {
  const settings = await target();
  const pipe = (from: string, to: string) =>
    Bun.spawn(
      [
        'bash',
        '-c',
        `DATA_DIR="$0" ${shellCommand} backup - | DATA_DIR="$1" ${shellCommand} restore -`,
        from,
        to,
      ],
      { env: { PATH: process.env.PATH }, stdout: 'pipe', stderr: 'ignore' },
    );
  const { DATA_DIR } = store.settings;
  await pipe(DATA_DIR, DATA_DIR).exited;
  // Both had the same folder: the restore was refused, and the store is unchanged.
  expect(storesIn(DATA_DIR)).toContain('linnet.sqlite');
  const piped = pipe(DATA_DIR, settings.DATA_DIR);
  expect(await new Response(piped.stdout).text()).toMatch(/^Restored 20,\d+ rows/);
  expect(await piped.exited).toBe(0);
  const [original, restored] = [await allTables(DATA_DIR, ''), await allTables(settings.DATA_DIR, '')];
  expect(restored.words?.length).toBe(store.words);
  expect(Bun.hash(JSON.stringify(restored.words))).toBe(Bun.hash(JSON.stringify(original.words)));
  await expect(runHere(makeBackup, [store.backup], store.settings)).rejects.toThrow(
    `${store.backup} is there already. Name a file that is not.`,
  );
}, 240_000);

test('of two simultaneous backups to one file, one is written completely and the other is refused', async () => {
  const file = join(folder.path, 'both.linnet');
  const backups = [1, 2].map(() => runCommand(['backup', file], store.settings));
  expect((await Promise.all(backups.map(({ exited }) => exited))).sort()).toEqual([0, 1]);
  await runHere(restoreBackup, [file], await target());
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
}, 240_000);

test('a full disk ends a backup and a restore with one line, and neither leaves a file behind', async () => {
  const file = join(folder.path, 'too-large.linnet');
  const failing = runWithFileSizeLimit(100, ['backup', file], store.settings);
  expect(await failing.exited).toBe(1);
  expect(failing.output().err.trim().split('\n')).toHaveLength(1);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('too-large'))).toEqual([]);
  const settings = await target();
  const restoring = runWithFileSizeLimit(1_000, ['restore', store.backup], settings);
  expect(await restoring.exited).toBe(1);
  expect(restoring.output().err).toMatch(/^The backup could not be restored: .*\n$/);
  expect(storesIn(settings.DATA_DIR)).toEqual([]);
  if (!existsSync('/dev/full')) return;
  const toFull = Bun.spawn(['bash', '-c', `${shellCommand} backup - > /dev/full`], {
    env: { PATH: process.env.PATH, DATA_DIR: store.settings.DATA_DIR },
    stderr: 'pipe',
  });
  expect([await toFull.exited, await new Response(toFull.stderr).text()]).toEqual([
    1,
    expect.stringContaining('ENOSPC'),
  ]);
}, 240_000);

test('a killed backup leaves no file of its name, and the next one into that folder removes the partial file', async () => {
  const file = join(folder.path, 'killed.linnet');
  const killed = runCommand(['backup', file], large.settings);
  await pollOften(
    () => readdirSync(folder.path).some((name) => /^killed.*partial$/.test(name)),
    'the backup to begin',
  );
  killed.kill('SIGKILL');
  await killed.exited;
  const leftFiles = readdirSync(folder.path).filter((name) => name.startsWith('killed'));
  expect(leftFiles).toEqual([expect.stringMatching(/^killed\.linnet\.backup-[\w.]+-\d+\.partial$/)]);
  expect(await refusalOf(join(folder.path, leftFiles[0] ?? ''), await target())).toMatch(
    /cut off|not a backup/,
  );
  // A file that another machine may still be writing, one that is too old for that, and an unrelated file.
  const [elsewhere, old, unrelated] = [
    'a.backup-elsewhere-7.partial',
    'b.backup-elsewhere-7.partial',
    'c.7.partial',
  ];
  for (const name of [elsewhere, old, unrelated]) writeFileSync(join(folder.path, name), 'x');
  utimesSync(join(folder.path, old), 1, 1);
  await runHere(makeBackup, [join(folder.path, 'next.linnet')], store.settings);
  const partial = readdirSync(folder.path).filter((name) => name.endsWith('.partial'));
  expect(partial.sort()).toEqual([elsewhere, unrelated]);
  for (const name of partial) rmSync(join(folder.path, name));
}, 240_000);

describe.each(storeKinds)('a restore into %s that is killed', (kind) => {
  test('leaves no store, and the next one succeeds', async () => {
    const settings: Record<string, string> = {
      ...(await target()),
      DATABASE_URL: kind === 'postgres' ? await freshPostgres() : '',
    };
    const killed = runCommand(['restore', large.backup], settings);
    const draft = join(settings.DATA_DIR ?? '', 'linnet.sqlite.restoring');
    if (kind === 'sqlite')
      await pollOften(() => existsSync(draft) && statSync(draft).size > 0, 'the restore to begin');
    else await pollOften(() => isRestoring(settings.DATABASE_URL ?? ''), 'the restore to begin');
    killed.kill('SIGKILL');
    await killed.exited;
    expect(storesIn(settings.DATA_DIR ?? '').filter((name) => name !== 'linnet.sqlite.restoring')).toEqual(
      [],
    );
    // PostgreSQL notices that the connection has ended, and rolls back.
    if (kind === 'postgres')
      await eventually(async () => !(await isRestoring(settings.DATABASE_URL ?? '')), 'the rollback');
    expect(await runHere(restoreBackup, [store.backup], settings)).toMatch(/^Restored 20,/);
    expect(existsSync(draft)).toBe(false);
  }, 240_000);
});

/** Whether a restore is connected and in its transaction. */
async function isRestoring(url: string): Promise<boolean> {
  const sql = new SQL({ url, max: 1 });
  try {
    const rows = await sql.unsafe(
      "select 1 from pg_stat_activity where application_name = 'linnet backup' and datname = current_database() and xact_start is not null",
    );
    return rows.length > 0;
  } finally {
    await sql.end();
  }
}
