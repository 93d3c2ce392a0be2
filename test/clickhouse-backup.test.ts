import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readPostgres } from '../src/backup/postgres-source.ts';
import { backup as makeBackup } from '../src/cli/backup.ts';
import { restoreBackup } from '../src/cli/restore-backup.ts';
import { ClickhouseClient } from '../src/ledger/clickhouse/clickhouse-client.ts';
import { ClickhouseHits } from '../src/ledger/clickhouse/clickhouse-hits.ts';
import { deleteMoved, moveHits } from '../src/ledger/clickhouse/move-hits.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { insertCorrection } from '../src/storage/click-corrections.ts';
import type { Database } from '../src/storage/database.ts';
import { hitLocation } from '../src/storage/moved-hits.ts';
import { openDatabase } from '../src/storage/open.ts';
import { freshClickhouse, hasClickhouse, serverOf } from './support/clickhouse.ts';
import { type TestLedger, testLedger } from './support/ledger-of.ts';
import { freshPostgres } from './support/postgres.ts';
import { runCommand, temporaryFolder } from './support/program.ts';
import { ReferenceLedger, randomHits, randomLinks } from './support/reference-ledger.ts';
import { runHere } from './support/run-here.ts';
import { seededRandom } from './support/seeded-random.ts';

const begin = Date.UTC(2026, 10, 30, 22, 50);
const draw = seededRandom(20261126);
const isInstalled = await hasClickhouse();
const hitsOf = (database: Database) => ReferenceLedger.of(openLedger(database), draw, begin);

describe.skipIf(!isInstalled)('a backup of a store with individual clicks in ClickHouse', () => {
  let ledger: TestLedger;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let clickhouse: string;
  let before: ReferenceLedger;
  let settings: Record<string, string>;
  const fileOf = (name: string) => join(folder.path, name);

  beforeAll(async () => {
    folder = await temporaryFolder();
    ledger = await testLedger('postgres', randomLinks);
    await ledger.append(randomHits(draw, 900, begin), 'packs');
    await ledger.append(randomHits(draw, 100, begin + 60_000), 'rows');
    clickhouse = await freshClickhouse();
    const client = new ClickhouseClient(serverOf(clickhouse));
    await moveHits({ database: ledger.database, client, now: () => begin, newStoreId: () => 'this' });
    await deleteMoved(ledger.database);
    before = await hitsOf({ ...ledger.database, hits: ClickhouseHits.of(serverOf(clickhouse)) });
    settings = { DATABASE_URL: ledger.url ?? '', CLICKS_URL: clickhouse, DATA_DIR: fileOf('before') };
    const backup = runCommand(['backup', fileOf('whole')], settings);
    expect(await backup.exited).toBe(0);
  });
  afterAll(async () => {
    await ledger?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  test('contains the clicks, and restores them to another ClickHouse, under another store', async () => {
    const target = {
      DATABASE_URL: await freshPostgres(),
      CLICKS_URL: await freshClickhouse(),
      DATA_DIR: fileOf('one'),
    };
    const restore = runCommand(['restore', fileOf('whole')], target);
    expect(await restore.exited).toBe(0);
    const restored = await openDatabase(target.DATABASE_URL, '', () => {});
    const after = await hitsOf({ ...restored, hits: ClickhouseHits.of(serverOf(target.CLICKS_URL)) });
    expect(after.hits).toEqual(before.hits);
    await after.expectSameAnswers(
      openLedger({ ...restored, hits: ClickhouseHits.of(serverOf(target.CLICKS_URL)) }),
      10,
    );
    const { storeId } = await hitLocation(restored.read);
    expect(storeId).not.toBeNull();
    expect(storeId).not.toBe('this');
    await restored.close();
  });

  test.each(['postgres', 'sqlite'])('can be restored without ClickHouse, on %s', async (kind) => {
    const target = {
      DATABASE_URL: kind === 'postgres' ? await freshPostgres() : '',
      DATA_DIR: fileOf(kind),
    };
    await runHere(restoreBackup, [fileOf('whole')], target);
    const restored = await openDatabase(target.DATABASE_URL || null, target.DATA_DIR, () => {});
    expect((await hitsOf(restored)).hits).toEqual(before.hits);
    expect((await hitLocation(restored.read)).storeId).toBeNull();
    await restored.close();
  });

  test('is not restored into a ClickHouse with clicks, and neither database changes', async () => {
    const target = { DATABASE_URL: await freshPostgres(), CLICKS_URL: clickhouse, DATA_DIR: fileOf('taken') };
    await expect(runHere(restoreBackup, [fileOf('whole')], target)).rejects.toThrow(
      'has individual clicks already',
    );
    const after = await hitsOf({ ...ledger.database, hits: ClickhouseHits.of(serverOf(clickhouse)) });
    expect(after.hits).toEqual(before.hits);
  });

  test('is refused while clicks are corrected, and fails if they were corrected meanwhile', async () => {
    const correct = async () =>
      ledger.database.write((queries) =>
        insertCorrection(queries, {
          ...{
            created_at: begin,
            organization_id: 1,
            link_id: null,
            user_id: 1,
            from_at: null,
            to_at: begin,
          },
          ...{ from_class: null, to_class: null, way_back_of: null, due_at: begin },
        }),
      );
    const finish = (id: number) =>
      ledger.database.write(async (queries) => {
        await queries
          .updateTable('click_corrections')
          .set({ due_at: null, finished_at: begin })
          .where('id', '=', id)
          .execute();
      });
    const running = await correct();
    await expect(runHere(makeBackup, [fileOf('running')], settings)).rejects.toThrow(
      'Clicks are being corrected',
    );
    await finish(running?.id ?? 0);
    await runHere(makeBackup, [fileOf('done')], settings);

    const backup = await readPostgres(ledger.url ?? '', new Date(begin), {
      async *rows() {
        await finish((await correct())?.id ?? 0);
        yield [];
      },
    });
    const read = async () => {
      for await (const _part of backup.parts);
    };
    await expect(read()).rejects.toThrow('Clicks were corrected or erased during the backup');
    await backup.close();
  });

  test('fails if individual clicks are missing, instead of omitting them', async () => {
    const { CLICKS_URL: _, ...without } = settings;
    await expect(runHere(makeBackup, [fileOf('refused')], without)).rejects.toThrow('Set CLICKS_URL');
    const withoutClicks = { 'without-clicks': true };
    expect(await runHere(makeBackup, [fileOf('parts')], without, withoutClicks)).toContain(
      'WITHOUT individual clicks',
    );
    const target = { DATABASE_URL: await freshPostgres(), DATA_DIR: fileOf('parts-of') };
    await runHere(restoreBackup, [fileOf('parts')], target);
    const restored = await openDatabase(target.DATABASE_URL, '', () => {});
    expect((await hitsOf(restored)).hits).toEqual([]);
    await restored.close();
  });
});
