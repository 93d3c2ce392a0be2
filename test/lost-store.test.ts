import { expect, test } from 'bun:test';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../src/config/load.ts';
import { StartProblem } from '../src/start-problem.ts';
import { claimJournals, openStore } from '../src/store.ts';
import { Log } from '../src/telemetry/log.ts';
import { runToExit } from './support/populated-server.ts';
import { temporaryFolder } from './support/program.ts';
import { SECRET_KEY } from './support/secret-key.ts';

/** "it opens", or the line that a start prints. */
async function opening(settings: Record<string, string>): Promise<string> {
  const config = loadConfig(settings);
  try {
    const { database } = await openStore(config, new Log('error'));
    await claimJournals(database, config.dataDir);
    await database.close();
    return 'it opens';
  } catch (cause) {
    if (cause instanceof StartProblem) return cause.message;
    throw cause;
  }
}

const lost = (dataDir: string, remains: string) =>
  `linnet.sqlite is missing or empty in ${dataDir}, where ${remains} is left of a store. Put it back`;

test('no empty store is made where secret.key or the journal of a lost one is', async () => {
  await using folder = await temporaryFolder();
  const DATA_DIR = folder.path;
  const file = join(DATA_DIR, 'linnet.sqlite');
  expect(await opening({ DATA_DIR })).toBe('it opens');

  await rename(file, join(DATA_DIR, 'kept'));
  expect(await opening({ DATA_DIR })).toStartWith(lost(DATA_DIR, 'secret.key'));
  expect(await readdir(DATA_DIR)).not.toContain('linnet.sqlite');
  await writeFile(file, '');
  expect(await opening({ DATA_DIR })).toStartWith(lost(DATA_DIR, 'secret.key'));
  await rename(join(DATA_DIR, 'kept'), file);
  expect(await opening({ DATA_DIR })).toBe('it opens');

  await rm(join(DATA_DIR, 'secret.key'));
  await rm(file);
  expect(await opening({ DATA_DIR, SECRET_KEY })).toStartWith(lost(DATA_DIR, 'journal'));
  await rm(join(DATA_DIR, 'journal', 'store.id'));
  expect(await opening({ DATA_DIR, SECRET_KEY })).toBe('it opens');
});

test('clicks of an earlier version, and a -wal by itself, are left of a store, too', async () => {
  await using folder = await temporaryFolder();
  const DATA_DIR = folder.path;
  const journal = join(DATA_DIR, 'journal', 'node', 'process');
  await mkdir(journal, { recursive: true });
  await writeFile(join(journal, '00000001.hits'), 'clicks');
  expect(await opening({ DATA_DIR })).toStartWith(lost(DATA_DIR, 'journal'));
  await rm(join(DATA_DIR, 'journal'), { recursive: true });
  await writeFile(join(DATA_DIR, 'linnet.sqlite-wal'), 'changes');
  expect(await opening({ DATA_DIR })).toStartWith(lost(DATA_DIR, 'linnet.sqlite-wal'));
});

test('commands and `doctor` say the same', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.path, PORT: '1' };
  expect(await opening(settings)).toBe('it opens');
  await rm(join(folder.path, 'linnet.sqlite'));
  const sentence = expect.stringContaining(lost(folder.path, 'secret.key'));
  for (const command of [['nodes'], ['setup', 'token'], ['upgrade'], ['upgrade', '--check']])
    expect([command, await runToExit(command, settings)]).toEqual([command, [1, '', sentence]]);
  const [code, findings] = await runToExit(['doctor'], settings);
  expect(code).toBe(1);
  expect(findings).toMatch(/BAD {2}database +linnet\.sqlite is missing or empty in .*\n +Put it back/);
});
