import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type BackupPart, isExcluded } from '../src/backup/backup-stream.ts';
import { readPostgres } from '../src/backup/postgres-source.ts';
import { PostgresTarget } from '../src/backup/postgres-target.ts';
import { restore } from '../src/backup/restore.ts';
import { SqliteTarget } from '../src/backup/sqlite-target.ts';
import { type StoreKind, storeKinds } from './support/app.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { freshPostgres } from './support/postgres.ts';
import { temporaryFolder } from './support/program.ts';

/** A store in which the drop of a month's partitions was interrupted after they were detached. */
let url: string;
let detached: string[];

beforeAll(async () => {
  url = await migratedPostgres();
  await using sql = new SQL({ url, max: 1 });
  const tables: { name: string }[] = await sql`select relname as name from pg_class where relkind = 'p'`;
  detached = tables.map(({ name }) => `${name}_2026_01`);
  for (const { name } of tables)
    await sql.unsafe(`create table ${name}_2026_01 (like ${name} including defaults)`);
}, 60_000);

async function* withTable(parts: AsyncIterable<BackupPart>, name: string): AsyncGenerator<BackupPart> {
  yield { part: 'table', name, columns: ['chunk_id'], bytes: [] };
  yield { part: 'rows', json: '[[1]]', count: 1 };
  yield* parts;
}

test('every detached partition is left out of a backup', () => {
  expect(detached.length).toBe(6);
  expect(detached.filter((name) => !isExcluded(name))).toEqual([]);
});

describe.each(storeKinds)('a backup of PostgreSQL, restored into %s', (kind: StoreKind) => {
  const target = async (folder: string) =>
    kind === 'postgres'
      ? PostgresTarget.open(await freshPostgres())
      : new SqliteTarget(join(folder, 'linnet.sqlite'));

  test('may be made while partitions are detached', async () => {
    await using folder = await temporaryFolder();
    const backup = await readPostgres(url, new Date());
    expect(await restore(backup, await target(folder.path))).toBeGreaterThan(0);
  }, 120_000);

  test('may have a detached partition, as those of earlier versions', async () => {
    await using folder = await temporaryFolder();
    const without = await readPostgres(await migratedPostgres(), new Date());
    const rows = await restore(without, await target(folder.path));
    await using second = await temporaryFolder();
    const { parts, ...backup } = await readPostgres(await migratedPostgres(), new Date());
    const withPartition = { ...backup, parts: withTable(parts, 'hit_link_groups_2026_01') };
    expect(await restore(withPartition, await target(second.path))).toBe(rows);
  }, 120_000);
});
