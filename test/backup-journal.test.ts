import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type StoreKind, storeKinds } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import {
  populateServer,
  runToExit,
  sendClicks,
  settingsFor,
  waitUntilCounted,
} from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';
import { runServer, temporaryFolder } from './support/program.ts';

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

test.each(storeKinds)(
  'clicks that were only in the journal during the backup are counted after a restore next to it on %s: every click exactly once',
  async (kind) => {
    await using folder = await temporaryFolder();
    const settings = await settingsFor(kind, join(folder.path, 'data'));
    const populated = await populateServer(settings);
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
    if (kind === 'postgres') settings.DATABASE_URL = await freshPostgres();
    expect((await runToExit(['restore', file], settings))[0]).toBe(0);
    const server = runServer(settings);
    const after = { ...populated, server, url: await server.address() };
    await waitUntilCounted(after, '33 300');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const counter = hitCounter(settings.DATA_DIR ?? '', settings.DATABASE_URL ?? '');
    const { ledger, linkTotal, clicks: counted } = await counter.of(1);
    expect([counted, ledger]).toEqual([33, linkTotal]);
    await counter.close();
  },
  240_000,
);

test.each(storeKinds)(
  'each backup made while clicks are counted is a consistent snapshot on %s: all its counts agree',
  async (kind) => {
    await using folder = await temporaryFolder();
    const settings = await settingsFor(kind, join(folder.path, 'data'));
    const populated = await populateServer(settings);
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
    populated.server.kill('SIGTERM');
    await populated.server.exited;
    expect(codes).toEqual([0, 0]);
    for (const file of files) {
      const dataDir = `${file}-restored`;
      await mkdir(dataDir);
      await copyFile(join(settings.DATA_DIR ?? '', 'secret.key'), join(dataDir, 'secret.key'));
      expect((await runToExit(['restore', file], { DATA_DIR: dataDir }))[0]).toBe(0);
      const counter = hitCounter(dataDir, '');
      const [plain, busy] = [await counter.of(1), await counter.of(2)];
      await counter.close();
      expect(busy.clicks).toBeGreaterThanOrEqual(300);
      expect([plain.ledger, busy.ledger]).toEqual([plain.linkTotal, busy.linkTotal]);
      expect(busy.organizationTotal).toBe(plain.linkTotal + busy.linkTotal);
    }
  },
  240_000,
);
