import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { migrationsTable, statementsOf } from '../../src/storage/migrate.ts';
import { freshPostgres } from './postgres.ts';

const fixture = join(import.meta.dir, '..', 'fixtures', 'earlier-version');

/** The last migration of the earlier version. */
export const earlierMigration = 16;

/** A copy of the store, key and journal of an earlier version: see test/fixtures/earlier-version/README.md. */
export async function earlierStore(folder: string): Promise<void> {
  await cp(fixture, folder, { recursive: true });
  const compressed = join(folder, 'linnet.sqlite.gz');
  await writeFile(join(folder, 'linnet.sqlite'), Bun.gunzipSync(await readFile(compressed)));
  await rm(compressed);
}

/** The URL of a new PostgreSQL database with the tables of the earlier version. */
export async function earlierPostgres(): Promise<string> {
  const url = await freshPostgres();
  const sql = new SQL({ url, max: 1 });
  await sql.unsafe(migrationsTable('postgres'));
  for (let number = 1; number <= earlierMigration; number++) {
    for (const statement of statementsOf('postgres', number)) await sql.unsafe(statement);
    await sql.unsafe('insert into migrations (number) values ($1)', [number]);
  }
  await sql.end();
  return url;
}
