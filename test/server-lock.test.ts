import { expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lockDataFolder, portOfServer } from '../src/compose/server-lock.ts';
import { loadConfig } from '../src/config/load.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp } from './support/app.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { type Program, runCommand, runServer, stop } from './support/program.ts';

const portOf = async (program: Program): Promise<string> => new URL(await program.address()).port;

/** What a server does before it opens its store. */
const lock = (settings: Record<string, string>) =>
  lockDataFolder(loadConfig(settings), new Log('error', (line) => process.stderr.write(line)));

const refusalLine = (folder: string, { pid }: { readonly pid: number }, port: string) =>
  new RegExp(
    `^The data folder ${folder} is in use by another Linnet: process ${pid}, since \\d{4}-\\S+Z, on port ${port}\\. Stop that one, or set DATA_DIR to another folder\\.\n$`,
  );

test.each(['1', '2'])(
  'a second server on a SQLite data folder is refused, with WORKERS=%s',
  async (WORKERS) => {
    await using folder = await storeFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path, WORKERS };
    const first = runServer(settings);
    const port = await portOf(first);
    const second = runServer({ PORT: '0', DATA_DIR: folder.path });
    expect(await second.exited).toBe(1);
    expect(second.output().out).toBe('');
    expect(second.output().err).toMatch(refusalLine(folder.path, first, port));
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const user = ['user', 'create', '--email', 'ops@example.com'];
    const command = runCommand(user, { DATA_DIR: folder.path }, 'typed in secret\n');
    expect([await command.exited, command.output().err]).toEqual([0, '']);
    await stop(first);
    (await lock({ DATA_DIR: folder.path }))[Symbol.dispose]();
  },
  240_000,
);

test('lock files of killed servers, and garbage in their place, prevent no start', async () => {
  await using folder = await storeFolder();
  const settings = { PORT: '0', DATA_DIR: folder.path };
  const killed = runServer(settings);
  await killed.address();
  killed.kill('SIGKILL');
  await killed.exited;
  (await lock(settings))[Symbol.dispose]();
  for (const name of ['server.lock', 'server.json'])
    await writeFile(join(folder.path, name), '\u0000 4711 } no lock at all '.repeat(500));
  using last = await lock(settings);
  last.listensOn(4711);
  const refused = runServer(settings);
  expect(await refused.exited).toBe(1);
  expect(refused.output().err).toMatch(refusalLine(folder.path, process, '4711'));
}, 240_000);

test('the port of a server that was killed is not looked at any more', async () => {
  await using folder = await storeFolder();
  const { pid, exited } = Bun.spawn(['true']);
  const mark = async (of: number, host: string) => {
    const holder = { pid: of, host, since: new Date(0).toISOString(), port: 4711 };
    await writeFile(join(folder.path, 'server.json'), JSON.stringify(holder));
    return portOfServer(folder.path);
  };
  await exited;
  expect(await mark(pid, hostname())).toBeNull();
  expect(await mark(pid, 'elsewhere')).toBe(4711);
  expect(await mark(process.pid, hostname())).toBe(4711);
});

test('two nodes on PostgreSQL may share a data folder', async () => {
  await using folder = await storeFolder();
  const DATABASE_URL = await migratedPostgres();
  const settings = { PORT: '0', DATA_DIR: folder.path, DATABASE_URL };
  const program = runServer(settings);
  const url = await program.address();
  using _ = await lock(settings);
  const { url: otherUrl, stop: stopOther } = await startApp({ env: settings });
  for (const node of [url, otherUrl]) expect((await fetch(`${node}/readyz`)).status).toBe(200);
  await stopOther();
  await stop(program);
}, 240_000);
