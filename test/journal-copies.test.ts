import { describe, expect, test } from 'bun:test';
import { chmod, chown, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type App, createApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { folderOf, journalsIn, watermarkKey } from '../src/journal/files.ts';
import { lockJournal } from '../src/journal/lock.ts';
import { OwnJournal } from '../src/journal/own-journal.ts';
import { writeStoreMark } from '../src/journal/store-mark.ts';
import { markFinished } from '../src/ledger/fold/finished-mark.ts';
import { watermarkRetention } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { BatchFolder } from './support/batch-folder.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { reportSkipped } from './support/one-file.ts';
import { plainHit } from './support/plain-hit.ts';
import { runCommand, runWithoutOthersFiles, temporaryFolder } from './support/program.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const userAgentOf = (version: number) => firefoxOf(version);

const hit = {
  ...plainHit,
} as const;

async function appendHits(app: App, from: number, count: number): Promise<void> {
  for (let version = from; version < from + count; version++)
    await app.clicks.append({ ...hit, at: Date.now(), userAgent: userAgentOf(version) });
}

describe.each(storeKinds)('a journal on %s', (kind) => {
  /** The settings of a node that has a migrated store. */
  async function nodeSettings(dataDir: string, databaseUrl: string): Promise<Record<string, string>> {
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

  const ledgerCount = async ({
    DATA_DIR = '',
    DATABASE_URL = '',
  }: Record<string, string>): Promise<number> => {
    const counter = hitCounter(DATA_DIR, DATABASE_URL);
    const { ledger, linkTotal, organizationTotal, clicks } = await counter.of(1);
    await counter.close();
    expect([linkTotal, organizationTotal, clicks]).toEqual([ledger, ledger, ledger]);
    return ledger;
  };

  test('is counted once, even if it is folded by the next process, from a copy on this node, and repeatedly by the command', async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = kind === 'postgres' ? await migratedPostgres() : '';
    const settings = await nodeSettings(join(folder.path, 'here'), databaseUrl);
    const { DATA_DIR = '' } = settings;
    const firstApp = await createApp(loadConfig(settings), { hits: 'unfolded' });
    await appendHits(firstApp, 1, 40);
    const [earlierCopy, laterCopy] = [join(folder.path, 'early'), join(folder.path, 'late')];
    await cp(join(DATA_DIR, 'journal'), join(earlierCopy, 'journal'), { recursive: true });
    await appendHits(firstApp, 41, 60);
    await firstApp.stop();
    await cp(join(DATA_DIR, 'journal'), join(laterCopy, 'journal'), { recursive: true });

    const runFold = async (dataDir: string) => {
      const program = runCommand(['fold', dataDir], settings);
      return { code: await program.exited, ...program.output() };
    };
    expect((await runFold(earlierCopy)).out).toStartWith('Folded 1 journal: 40 hits new to the database.\n');
    expect(await ledgerCount(settings)).toBe(40);
    const foldAtStart = async () => {
      const app = await createApp(loadConfig(settings));
      await eventually(() => journalsIn(DATA_DIR).length === 0, 'the journal to be folded');
      await app.stop();
      return ledgerCount(settings);
    };
    expect(await foldAtStart()).toBe(100);
    await cp(join(laterCopy, 'journal'), join(DATA_DIR, 'journal'), { recursive: true });
    expect(await foldAtStart()).toBe(100);
    for (const copy of [laterCopy, join(earlierCopy, 'journal')])
      expect(await runFold(copy)).toMatchObject({
        code: 0,
        out: expect.stringContaining(' 0 hits new to the database.\n'),
      });
    expect(await ledgerCount(settings)).toBe(100);
    expect(journalsIn(laterCopy)).toHaveLength(1);
  });

  test('that is finished keeps its watermark for 90 days, one that may grow keeps it permanently', async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = kind === 'postgres' ? await migratedPostgres() : '';
    await nodeSettings(folder.path, databaseUrl);
    const store = kind === 'postgres' ? new PostgresFoldStore(databaseUrl) : new SqliteFoldStore(folder.path);
    const position = { segment: 1, offset: 1 };
    for (const journal of ['one/finished', 'one/open', 'one/again']) {
      const folding = new BatchFolder(store, journal);
      await folding.fold([], false);
      if (journal !== 'one/open') await store.finishJournal(journal, 1_000);
      // Its process was still running after all.
      if (journal === 'one/again') await folding.fold([], false);
    }
    const watermarks = async () =>
      Promise.all(['finished', 'open', 'again'].map((name) => store.watermark(`one/${name}`)));
    await store.deleteFinishedBefore(1_000);
    expect(await watermarks()).toEqual([position, position, { segment: 1, offset: 2 }]);
    await store.deleteFinishedBefore(1_001);
    expect(await watermarks()).toEqual([null, position, { segment: 1, offset: 2 }]);
    expect(watermarkRetention).toBe(90 * dayLength);
    await store.close();
  });

  test('that is kept in its folder for longer than its watermark is counted once', async () => {
    // SQLite keeps no counted journals.
    if (kind === 'sqlite') return;
    await using folder = await temporaryFolder();
    const [dataDir, copy] = [join(folder.path, 'node'), join(folder.path, 'copy')];
    const databaseUrl = await migratedPostgres();
    const settings = { ...(await nodeSettings(dataDir, databaseUrl)), JOURNAL_KEEP_MINUTES: '15' };
    const stopped = await createApp(loadConfig(settings));
    await appendHits(stopped, 100, 3);
    await stopped.clicks.settled();
    await stopped.stop();
    const [name] = journalsIn(dataDir);
    if (name === undefined) throw new Error('the journal is not kept');
    const mark = join(folderOf(dataDir, name), 'finished');
    expect(Date.now() - Number(await Bun.file(mark).text())).toBeLessThan(hourLength);
    markFinished(folderOf(dataDir, name), Date.now() - watermarkRetention);
    await cp(dataDir, copy, { recursive: true });
    const store = new PostgresFoldStore(databaseUrl);
    await store.deleteFinishedBefore(Date.now() + 1_000);
    expect(await store.watermark(watermarkKey(name))).toBeNull();
    await store.close();

    const program = runCommand(['fold', copy], settings);
    expect(await program.exited).toBe(0);
    expect(program.output().out).toContain('0 hits new to the database');
    const started = await createApp(loadConfig(settings));
    await appendHits(started, 200, 1);
    await eventually(async () => !journalsIn(dataDir).some((one) => one.process === name.process), 'its end');
    await started.clicks.settled();
    await started.stop();
    expect(await ledgerCount(settings)).toBe(4);
  });

  onOneStore(kind, () => {
    test('that a process still writes is skipped by the command, and a folder without journals is refused', async () => {
      await using folder = await temporaryFolder();
      const settings = await nodeSettings(join(folder.path, 'here'), '');
      const name = { node: 'there', process: 'running' };
      const lock = lockJournal(folderOf(folder.path, name));
      const locked = runCommand(['fold', folder.path], settings);
      expect(await locked.exited).toBe(0);
      expect(locked.output().out).toContain('1 journal left alone');
      lock?.release();
      const unused = new OwnJournal(folder.path, { node: 'there', process: 'without-clicks' });
      unused.prepare();
      const withUnused = runCommand(['fold', folder.path], settings);
      expect(await withUnused.exited).toBe(0);
      expect(withUnused.output().out).toContain('1 journal left alone');
      expect(withUnused.output().out).not.toContain('needed');
      unused.release();
      const withoutJournals = runCommand(['fold', join(folder.path, 'here')], settings);
      expect(await withoutJournals.exited).toBe(1);
      expect(withoutJournals.output().err).toContain('There is no journal in');
    });

    test('in the folder of another user is refused with what to do, and one without clicks is no mistake', async () => {
      await using folder = await temporaryFolder();
      const settings = await nodeSettings(join(folder.path, 'here'), '');
      const mounted = join(folder.path, 'mounted');
      writeStoreMark(mounted, 'store-of-a-node-that-was-stopped');
      const ofStopped = runCommand(['fold', mounted], settings);
      expect([await ofStopped.exited, ofStopped.output().out]).toEqual([
        0,
        `Folded 0 journals: 0 hits new to the database.\n${mounted} isn't needed for its clicks any more.\n`,
      ]);
      if (process.getuid?.() !== 0) return reportSkipped('the right to give files away');
      const journal = folderOf(mounted, { node: 'there', process: 'gone' });
      await mkdir(journal, { recursive: true });
      await writeFile(join(journal, 'lock'), '');
      for (const path of [join(journal, 'lock'), join(mounted, 'journal')]) {
        await chmod(path, path.endsWith('lock') ? 0o600 : 0o700);
        await chown(path, 65_534, 65_534);
        const program = runWithoutOthersFiles(settings, ['fold', mounted]);
        expect(await program.exited).toBe(1);
        expect(program.output().err).toMatch(
          /^This user can not read the journals in .*mounted \(EACCES: .*\)\. Copy that folder, and make .* \(chown -R\)\.\n$/,
        );
      }
    });
  });
});
