import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { restoreBackup } from '../src/cli/restore-backup.ts';
import { type StoreKind, storeKinds } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import { pollUntil } from './support/eventually.ts';
import {
  type PopulatedServer,
  populateServer,
  runToExit,
  sendClicks,
  settingsFor,
} from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';
import { runServer, stop, temporaryFolder } from './support/program.ts';
import { runHere } from './support/run-here.ts';

/** Blocks the fold, so that clicks aren't counted; reads continue. */
async function blockFold(kind: StoreKind, settings: Record<string, string>): Promise<() => Promise<void>> {
  if (kind === 'sqlite') {
    const database = new Database(join(settings.DATA_DIR ?? '', 'linnet.sqlite'));
    database.run('pragma busy_timeout = 5000');
    database.run('begin immediate');
    return async () => {
      database.run('rollback');
      database.close();
    };
  }
  const sql = new SQL({ url: settings.DATABASE_URL ?? '', max: 1 });
  const session = await sql.reserve();
  await session.unsafe('begin');
  await session.unsafe('lock table journal_watermarks in exclusive mode');
  return async () => {
    await session.unsafe('rollback');
    session.release();
    await sql.end();
  };
}

describe.each(storeKinds)('backups of a server on %s', (kind) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let settings: Record<string, string>;
  let populated: PopulatedServer;
  beforeAll(async () => {
    folder = await temporaryFolder();
    settings = await settingsFor(kind, join(folder.path, 'data'));
    populated = await populateServer(settings);
  }, 240_000);
  afterAll(async () => {
    populated.server.kill('SIGKILL');
    await populated.server.exited;
    await folder[Symbol.asyncDispose]();
  });

  test('made while clicks are counted are consistent snapshots: all counts agree', async () => {
    let isOver = false;
    const visiting = (async () => {
      // The backups, not the clicks, should use the CPU.
      for (; !isOver; await Bun.sleep(20)) await sendClicks(populated, 'busy', 10);
    })();
    const files = ['a', 'b'].map((name) => join(folder.path, name));
    const codes = await Promise.all(
      files.map(async (file) => (await runToExit(['backup', file], settings))[0]),
    );
    isOver = true;
    await visiting;
    expect(codes).toEqual([0, 0]);
    for (const file of files) {
      const dataDir = `${file}-restored`;
      await mkdir(dataDir);
      await copyFile(join(settings.DATA_DIR ?? '', 'secret.key'), join(dataDir, 'secret.key'));
      await runHere(restoreBackup, [file], { DATA_DIR: dataDir });
      const counter = hitCounter(dataDir, '');
      const [plain, busy] = [await counter.of(1), await counter.of(2)];
      await counter.close();
      expect(busy.clicks).toBeGreaterThanOrEqual(300);
      expect([plain.ledger, busy.ledger]).toEqual([plain.linkTotal, busy.linkTotal]);
      expect(busy.organizationTotal).toBe(plain.linkTotal + busy.linkTotal);
    }
  }, 240_000);

  test('leave clicks that were only in the journal to be counted after a restore next to it: every click exactly once', async () => {
    const release = await blockFold(kind, settings);
    await sendClicks(populated, 'plain', 20, 1_000);
    const file = join(folder.path, 'one.linnet');
    const [code] = await runToExit(['backup', file], settings);
    await sendClicks(populated, 'plain', 10, 2_000);
    populated.server.kill('SIGKILL');
    await populated.server.exited;
    await release();
    expect(code).toBe(0);
    for (const ending of ['', '-wal', '-shm'])
      await rm(join(settings.DATA_DIR ?? '', `linnet.sqlite${ending}`), { force: true });
    const restored = { ...settings };
    if (kind === 'postgres') restored.DATABASE_URL = await freshPostgres();
    expect((await runToExit(['restore', file], restored))[0]).toBe(0);
    const server = runServer(restored);
    await server.address();
    const counter = hitCounter(restored.DATA_DIR ?? '', restored.DATABASE_URL ?? '');
    await pollUntil(
      () => counter.of(1),
      ({ clicks }) => clicks >= 33,
      'every click to be counted',
    );
    await stop(server);
    const { ledger, linkTotal, clicks } = await counter.of(1);
    expect([clicks, ledger]).toEqual([33, linkTotal]);
    await counter.close();
  }, 240_000);
});
