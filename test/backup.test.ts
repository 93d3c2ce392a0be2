import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreBackup } from '../src/cli/restore-backup.ts';
import { allTables } from './support/all-tables.ts';
import { startApp, storeKinds } from './support/app.ts';
import {
  contentsOf,
  type PopulatedServer,
  populateServer,
  runToExit,
  settingsFor,
  settingsWithoutStore,
  webhookKey,
} from './support/populated-server.ts';
import { stop, temporaryFolder } from './support/program.ts';
import { runHere } from './support/run-here.ts';

/** These tables distinguish the visitors of a day, and are not backed up. */
const omittedTables = [
  'daily_visitors',
  'visitor_days',
  'visitor_runs',
  'click_claims',
  'flood_levels',
  'visitor_salt_marks',
  'visitor_salt_requests',
  'nodes',
];

/** The answers without what differs between servers. */
const responsesOf = async (populated: Pick<PopulatedServer, 'url' | 'key' | 'cookie'>): Promise<string> =>
  JSON.stringify(await contentsOf(populated))
    .replaceAll(populated.url, '(url)')
    .replaceAll(new URL(populated.url).host, '(host)')
    .replaceAll(/"raw_since":"[^"]*"/g, '"raw_since":"(now)"');

describe.each(storeKinds)('a backup of %s', (from) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let settings: Record<string, string>;
  let before: PopulatedServer;
  let responses: string;
  let file: string;
  let printed: string;
  let tables: Awaited<ReturnType<typeof allTables>>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    settings = await settingsFor(from, join(folder.path, 'before'));
    before = await populateServer(settings);
    file = join(folder.path, 'linnet.backup');
    responses = await responsesOf(before);
    before.server.kill('SIGSTOP');
    const DATA_DIR = from === 'postgres' ? join(folder.path, 'no-key') : (settings.DATA_DIR ?? '');
    const [code, out, err] = await runToExit(['backup', file], { ...settings, DATA_DIR });
    expect([code, out]).toEqual([0, '']);
    printed = err;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    tables = await allTables(settings.DATA_DIR ?? '', settings.DATABASE_URL ?? '');
    before.server.kill('SIGCONT');
    await stop(before.server);
  }, 240_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  test('says where the key is, which a machine that only makes backups of PostgreSQL does not have', () => {
    const place =
      from === 'postgres'
        ? 'that of the nodes: there is none here'
        : join(settings.DATA_DIR ?? '', 'secret.key');
    expect(printed).toBe(`The backup is in ${file}. Keep the secret key (${place}) apart from it.\n`);
  });

  test.each(storeKinds)(
    'restored into %s has every row of every table except visitors of the day, and gives the same responses: links, statistics, clicks, a session, a sealed key',
    async (to) => {
      const dataDir = join(folder.path, `after-${to}`);
      const restored = await settingsWithoutStore(to, dataDir);
      await expect(runHere(restoreBackup, [file], restored)).rejects.toThrow(
        'The secret key of this backup is not here',
      );
      await copyFile(join(settings.DATA_DIR ?? '', 'secret.key'), join(dataDir, 'secret.key'));
      // By the program: test/backup-journal.test.ts.
      expect(await runHere(restoreBackup, [file], restored)).toMatch(/^Restored \d+ rows/);
      const restoredTables = await allTables(dataDir, restored.DATABASE_URL ?? '');
      if (from === to)
        for (const [name, rows] of Object.entries(tables))
          expect([name, restoredTables[name]]).toEqual([name, omittedTables.includes(name) ? [] : rows]);

      // A restored store with a started program: test/backup-journal.test.ts.
      const app = await startApp({ env: restored });
      const after = { ...before, url: app.url };
      expect(await responsesOf(after)).toBe(responses);
      expect((await contentsOf(after)).webhookKey).toBe(webhookKey);
      // Ids continue where they were: none is used twice.
      const made = await fetch(`${after.url}/api/v1/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': after.key },
        body: JSON.stringify({ destination_url: 'https://example.com/next' }),
      });
      expect([made.status, ((await made.json()) as { id: number }).id]).toEqual([201, 6]);
      await app.stop();
      expect(app.faults).toEqual([]);
    },
    240_000,
  );
});
