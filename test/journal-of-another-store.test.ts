import { expect, test } from 'bun:test';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../src/config/load.ts';
import { insertOrganization, insertUser } from '../src/storage/accounts/users.ts';
import type { Queries } from '../src/storage/schema.ts';
import { deleteSetting } from '../src/storage/settings.ts';
import { storeIdSetting } from '../src/storage/store-id.ts';
import { claimJournals, openStore } from '../src/store.ts';
import { Log } from '../src/telemetry/log.ts';
import { type StoreKind, storeKinds } from './support/app.ts';
import { migratedSqlite } from './support/migrated-store.ts';
import { runToExit, settingsFor, settingsWithoutStore } from './support/populated-server.ts';
import { temporaryFolder } from './support/program.ts';

type Settings = Record<string, string>;

async function open(settings: Settings): Promise<void> {
  const config = loadConfig(settings);
  const { database } = await openStore(config, new Log('error'));
  await claimJournals(database, config.dataDir);
  await database.close();
}

/** A journal with a segment that isn't folded. */
async function leaveClicks(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'journal', 'node', 'process');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '00000000.hits'), 'clicks');
}

const sqliteFiles = ['', '-wal', '-shm'].map((ending) => `linnet.sqlite${ending}`);

/** The same data folder with another, empty store. On SQLite, `dataDir/theirs` gets the files of the one before. */
async function withOtherStore(kind: StoreKind, settings: Settings): Promise<Settings> {
  const dataDir = settings.DATA_DIR ?? '';
  if (kind === 'postgres') return settingsWithoutStore(kind, dataDir);
  await mkdir(join(dataDir, 'theirs'), { recursive: true });
  for (const file of await readdir(dataDir))
    if (sqliteFiles.includes(file)) await rename(join(dataDir, file), join(dataDir, 'theirs', file));
  await migratedSqlite(dataDir);
  return settings;
}

async function putBack(kind: StoreKind, { DATA_DIR: dataDir = '' }: Settings): Promise<void> {
  if (kind === 'postgres') return;
  for (const file of sqliteFiles) await rm(join(dataDir, file), { force: true });
  for (const file of await readdir(join(dataDir, 'theirs')))
    await rename(join(dataDir, 'theirs', file), join(dataDir, file));
}

async function change(settings: Settings, statements: (queries: Queries) => Promise<unknown>): Promise<void> {
  const { database } = await openStore(loadConfig(settings), new Log('error'));
  await database.write(async (queries) => void (await statements(queries)));
  await database.close();
}

test.each(storeKinds)(
  'clicks of another store stop the start on %s, until they are moved away',
  async (kind) => {
    await using folder = await temporaryFolder();
    const theirs = await settingsFor(kind, folder.path);
    await open(theirs);
    await leaveClicks(folder.path);
    await open(theirs);

    const other = await withOtherStore(kind, theirs);
    const sentence = `The clicks in ${join(folder.path, 'journal')} belong to another database than this one.`;
    expect(await open(other).catch((cause) => String(cause))).toContain(sentence);
    // The refused start has given it an id.
    expect(await open(other).catch((cause) => String(cause))).toContain(sentence);
    const [code, findings] = await runToExit(['doctor'], other);
    expect(code).toBe(1);
    expect(findings).toContain(sentence);

    await putBack(kind, theirs);
    await open(theirs);

    const again = await withOtherStore(kind, theirs);
    await rename(join(folder.path, 'journal'), join(folder.path, 'journal-of-theirs'));
    await open(again);
  },
);

test('a command leaves no file among the journals, which the server could not read if another user ran it', async () => {
  await using folder = await temporaryFolder();
  const settings = await settingsFor('sqlite', folder.path);
  expect((await runToExit(['nodes'], settings))[0]).toBe(0);
  expect(await readdir(folder.path)).not.toContain('journal');
});

test('on sqlite, a folder without clicks gets another store without a word', async () => {
  await using folder = await temporaryFolder();
  const settings = await settingsFor('sqlite', folder.path);
  await open(settings);
  const other = await withOtherStore('sqlite', settings);
  await open(other);
  await leaveClicks(folder.path);
  await open(other);
  // The folder is the other store's from now on.
  await putBack('sqlite', settings);
  expect(await open(settings).catch((cause) => String(cause))).toContain('belong to another database');
});

test.each(storeKinds)(
  'a store of an earlier version on %s belongs to the clicks that are there',
  async (kind) => {
    await using folder = await temporaryFolder();
    const settings = await settingsFor(kind, folder.path);
    await open(settings);
    await leaveClicks(folder.path);
    await change(settings, async (queries) => {
      await deleteSetting(queries, storeIdSetting);
      const organization_id = await insertOrganization(queries, 'Theirs', 0);
      const user = {
        organization_id,
        email: 'a@b.example',
        password_hash: '-',
        role: 'editor' as const,
        created_at: 0,
      };
      await insertUser(queries, user);
    });
    await change(settings, async (queries) => {
      await deleteSetting(queries, storeIdSetting);
      await queries.deleteFrom('users').execute();
    });
    expect(await open(settings).catch((cause) => String(cause))).toContain('belong to another database');
  },
);

test.each(storeKinds)('`fold` counts no clicks of another store on %s', async (kind) => {
  await using folder = await temporaryFolder();
  const gone = await settingsFor(kind, join(folder.path, 'gone'));
  await open(gone);
  await leaveClicks(join(folder.path, 'gone'));
  const here = await settingsFor(kind, join(folder.path, 'here'));
  const [code, , errors] = await runToExit(['fold', join(folder.path, 'gone', 'journal')], here);
  expect(code).toBe(1);
  expect(errors).toContain(
    'belong to another database than this one. Set DATABASE_URL to theirs. Nothing was counted.',
  );
});
