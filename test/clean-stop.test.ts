import { afterEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFirstLink } from './support/account.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import {
  exitCodeOf,
  type Program,
  runCommand,
  runServer,
  runSourcesWithPreload,
  stop,
} from './support/program.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const running: Program[] = [];

/** Registers the program to be stopped after its test, however the test ends. */
function stoppedAfterTest(program: Program): Program {
  running.push(program);
  return program;
}

afterEach(() => {
  for (const program of running.splice(0)) program.kill('SIGTERM');
});

async function visit(url: string, suffix: string, times: number): Promise<void> {
  for (let visits = 0; visits < times; visits++)
    expect((await fetch(`${url}/${suffix}`, { redirect: 'manual' })).status).toBe(302);
}

/** The modes of all files and folders in a folder. */
function modesIn(folder: string): { files: Set<string>; folders: Set<string>; names: string[] } {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const name of names) {
    const found = statSync(join(folder, name));
    (found.isDirectory() ? folders : files).add((found.mode & 0o777).toString(8));
  }
  return { files, folders, names };
}

const sqliteFilesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith('linnet.sqlite'));

test.each(['1', '2'])(
  'with %s process(es): no other user can read the data folder, and a clean stop during visits and reads leaves no SQLite log',
  async (WORKERS) => {
    await using data = await storeFolder();
    // As an earlier version, or a copy of the folder, may have left them.
    writeFileSync(join(data.path, 'secret.key'), SECRET_KEY);
    mkdirSync(join(data.path, 'journal', 'a', 'b'), { recursive: true });
    writeFileSync(join(data.path, 'journal', 'a', 'b', '00000001.hits'), '');
    for (const name of readdirSync(data.path, { recursive: true, encoding: 'utf8' })) {
      const path = join(data.path, name);
      chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    }
    const settings = { PORT: '0', DATA_DIR: data.path, MISS_LIMIT: '0', WORKERS };
    const program = stoppedAfterTest(runServer(settings));
    const url = await program.address();
    const { suffix, id } = await createFirstLink(url);
    await visit(url, suffix, 20);
    const modes = modesIn(data.path);
    expect(modes.names).toContain('linnet.sqlite-wal');
    expect([...modes.files]).toEqual(['600']);
    expect([...modes.folders]).toEqual(['700']);

    let answered = 20;
    const visitForever = async (): Promise<void> => {
      for (;;) {
        const { status } = await fetch(`${url}/${suffix}`, { redirect: 'manual' });
        if (status === 302) answered += 1;
        await fetch(`${url}/api/v1/setup`);
      }
    };
    const visiting = Promise.allSettled(Array.from({ length: 8 }, visitForever));
    await eventually(() => answered > 70, 'visits');
    await stop(program);
    await visiting;
    expect(sqliteFilesIn(data.path)).toEqual(['linnet.sqlite']);
    const counter = hitCounter(data.path, '');
    expect((await counter.of(id)).ledger).toBeGreaterThanOrEqual(answered);
    await counter.close();
  },
);

test('a stop after the last visit leaves the exact number of dropped clicks in the log and no SQLite log; nor does a command leave one', async () => {
  await using data = await storeFolder();
  const FULL = join(data.path, 'full');
  const settings = { PORT: '0', DATA_DIR: data.path, MISS_LIMIT: '0', FULL };
  const program = stoppedAfterTest(runSourcesWithPreload('full-disk.ts', settings));
  const url = await program.address();
  const { id, suffix } = await createFirstLink(url);
  await visit(url, suffix, 7);
  writeFileSync(FULL, '');
  await visit(url, suffix, 23);
  await stop(program);
  const lines = program
    .output()
    .err.trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [last] = lines.filter(({ event }) => event === 'clicks dropped in all');
  expect(last).toMatchObject({ dropped_so_far: 23 });
  expect(sqliteFilesIn(data.path)).toEqual(['linnet.sqlite']);
  const command = ['user', 'create', '--email', 'a@people.example', '--password', 'correct horse battery'];
  expect(await exitCodeOf(runCommand(command, settings))).toBe(0);
  expect(sqliteFilesIn(data.path)).toEqual(['linnet.sqlite']);
  const counter = hitCounter(data.path, '');
  expect((await counter.of(id)).ledger).toBe(7);
  await counter.close();
});
