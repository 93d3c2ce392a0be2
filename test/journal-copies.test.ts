import { describe, expect, test } from 'bun:test';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type App, createApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { folderOf, journalsIn } from '../src/journal/files.ts';
import { lockJournal } from '../src/journal/lock.ts';
import { watermarksKept } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/postgres-fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/sqlite-fold-store.ts';
import { storeKinds } from './support/app.ts';
import { BatchFolder } from './support/batch-folder.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';
import { runCommand, temporaryFolder } from './support/program.ts';

const SECRET_KEY = 'the same secret on every node, long enough';
const agent = (version: number) =>
  `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;

const hit = {
  ...plainHit,
} as const;

async function append(app: App, from: number, count: number): Promise<void> {
  for (let version = from; version < from + count; version++)
    await app.clicks.append({ ...hit, at: Date.now(), userAgent: agent(version) });
}

describe.each(storeKinds)('a journal on %s', (kind) => {
  /** The settings of a node that has a migrated store. */
  async function nodeIn(dataDir: string, databaseUrl: string): Promise<Record<string, string>> {
    await mkdir(dataDir, { recursive: true });
    if (kind === 'sqlite') await migratedSqlite(dataDir);
    return {
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      MISS_LIMIT: '0',
      SECRET_KEY,
      JOURNAL_KEEP_MINUTES: '0',
    };
  }

  const ledgerOf = async ({ DATA_DIR = '', DATABASE_URL = '' }: Record<string, string>): Promise<number> => {
    const counter = hitCounter(DATA_DIR, DATABASE_URL);
    const { ledger, linkTotal, organizationTotal, clicks } = await counter.of(1);
    await counter.close();
    expect([linkTotal, organizationTotal, clicks]).toEqual([ledger, ledger, ledger]);
    return ledger;
  };

  test('counts once: folded by the next process, from a copy on this node, and by the command, repeatedly', async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = kind === 'postgres' ? await migratedPostgres() : '';
    const settings = await nodeIn(join(folder.path, 'here'), databaseUrl);
    const { DATA_DIR = '' } = settings;
    const dead = await createApp(loadConfig(settings), { hits: 'unfolded' });
    await append(dead, 1, 40);
    const [early, late] = [join(folder.path, 'early'), join(folder.path, 'late')];
    await cp(join(DATA_DIR, 'journal'), join(early, 'journal'), { recursive: true });
    await append(dead, 41, 60);
    await dead.stop();
    await cp(join(DATA_DIR, 'journal'), join(late, 'journal'), { recursive: true });

    const command = async (dataDir: string) => {
      const done = runCommand(['fold', dataDir], settings);
      return { code: await done.exited, ...done.output() };
    };
    expect((await command(early)).out).toStartWith('Folded 1 journal: 40 hits new to the database.\n');
    expect(await ledgerOf(settings)).toBe(40);
    const next = async () => {
      const app = await createApp(loadConfig(settings));
      await eventually(() => journalsIn(DATA_DIR).length === 0, 'the journal to be folded');
      await app.stop();
      return ledgerOf(settings);
    };
    expect(await next()).toBe(100);
    await cp(join(late, 'journal'), join(DATA_DIR, 'journal'), { recursive: true });
    expect(await next()).toBe(100);
    for (const copy of [late, join(early, 'journal'), late])
      expect(await command(copy)).toMatchObject({
        code: 0,
        out: expect.stringContaining(' 0 hits new to the database.\n'),
      });
    expect(await ledgerOf(settings)).toBe(100);
    expect(journalsIn(late)).toHaveLength(1);
  });

  test('that a process still writes is skipped by the command, and a folder without journals is refused', async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = kind === 'postgres' ? await migratedPostgres() : '';
    const settings = await nodeIn(join(folder.path, 'here'), databaseUrl);
    const name = { node: 'there', process: 'running' };
    const lock = lockJournal(folderOf(folder.path, name));
    const busy = runCommand(['fold', folder.path], settings);
    expect(await busy.exited).toBe(0);
    expect(busy.output().out).toContain('1 journal left alone');
    lock?.release();
    const wrong = runCommand(['fold', join(folder.path, 'here')], settings);
    expect(await wrong.exited).toBe(1);
    expect(wrong.output().err).toContain('There is no journal in');
  });

  test('that is finished is remembered for 90 days, one that may grow permanently', async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = kind === 'postgres' ? await migratedPostgres() : '';
    await nodeIn(folder.path, databaseUrl);
    const store = kind === 'postgres' ? new PostgresFoldStore(databaseUrl) : new SqliteFoldStore(folder.path);
    const position = { segment: 1, offset: 1 };
    for (const journal of ['one/finished', 'one/open', 'one/again']) {
      const folding = new BatchFolder(store, journal);
      await folding.fold([], false);
      if (journal !== 'one/open') await store.finishJournal(journal, 1_000);
      // Its process turned out to be alive.
      if (journal === 'one/again') await folding.fold([], false);
    }
    const left = async () =>
      Promise.all(['finished', 'open', 'again'].map((name) => store.watermark(`one/${name}`)));
    await store.deleteFinishedBefore(1_000);
    expect(await left()).toEqual([position, position, { segment: 1, offset: 2 }]);
    await store.deleteFinishedBefore(1_001);
    expect(await left()).toEqual([null, position, { segment: 1, offset: 2 }]);
    expect(watermarksKept).toBe(90 * 24 * 60 * 60 * 1_000);
    await store.close();
  });
});
