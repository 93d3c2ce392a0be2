import { sql } from 'kysely';
import type { Database, OnLockWait } from './database.ts';
import { dialects } from './dialect.ts';
import { buildIndexes, type IndexBuild, indexBuilds } from './index-builds.ts';
import { minMigration, requireMigration } from './min-migration.ts';
import { newestFormat } from './newer-formats.ts';
import { migrations, newestMigration } from './newest-migration.ts';
import type { Queries } from './schema.ts';

/** The statements of a migration, by its number. */
export function statementsOf(kind: Database['kind'], number: number): readonly string[] {
  const migration = migrations[number - 1];
  if (migration === undefined) return [];
  return (typeof migration === 'function' ? migration : migration.statements)(dialects[kind]);
}

/** For migrations that drop, rename or restrict something: the newest migration of the release that stopped using it. */
export function unusedSince(number: number): number | null {
  const migration = migrations[number - 1];
  return migration === undefined || typeof migration === 'function' ? null : migration.unusedSince;
}

/** Later migrations can run while programs of the previous release are running. */
export const lastExclusiveMigration = 45;

/** The newest migration that a program must know to write together with this one. */
export const minWriterMigration = Math.max(37, ...migrations.map((_, index) => unusedSince(index + 1) ?? 0));

export const newerStore =
  'this database was set up by a newer Linnet; start that version, or restore a backup from before it';

export const migrationsTable = (kind: Database['kind']): string =>
  `create table if not exists migrations (number ${dialects[kind].integer} primary key) ${dialects[kind].tableEnd}`;

/** Called before existing tables are changed, with the numbers of the last applied and of the newest migration. */
export type BeforeUpgrade = (database: Database, from: number, to: number) => Promise<void>;

/** What a program does during an upgrade. */
export interface UpgradeHooks {
  readonly before?: BeforeUpgrade | null;
  readonly waits?: OnLockWait;
}

/** Milliseconds after which a running node has noticed that it is too old. */
const noticeTime = 5_000;

/**
 * Migrates the store. Several nodes may start at once: the row of a migration is inserted first, so the second node waits for it
 * and then finds the work done. An empty store gets all migrations in one transaction, others one by one.
 */
export async function migrate(database: Database, { before, waits }: UpgradeHooks = {}): Promise<void> {
  await createMigrationsTable(database);
  const done = await migrationsDone(database);
  if (done > newestMigration && !(await mayWrite(database))) throw new Error(newerStore);
  if (done > 0 && done < newestMigration) {
    await before?.(database, done, newestMigration);
    // Before anything is dropped, so that nodes that still use it notice; after the copy is made, to which they may return.
    const isNewRequirement = await requireMigration(database, minWriterMigration);
    if (isNewRequirement && database.kind === 'postgres' && contracts(done)) await Bun.sleep(noticeTime);
  }
  const builds = done === 0 || done > newestMigration ? [] : buildsOf(database.kind);
  const build = (isDue: (number: number) => boolean) =>
    buildIndexes(
      database,
      builds.filter(({ number }) => isDue(number)),
      waits,
    );
  await build((number) => number <= done);
  const missing = migrations.map((_, index) => index + 1).slice(done);
  // No program uses an empty store: all at once takes about half the time on PostgreSQL, and a killed start leaves it empty.
  const transactions = done === 0 ? [missing] : missing.map((number) => [number]);
  for (const numbers of transactions) {
    await database.migrate(async (queries) => {
      for (const number of numbers) await applyMigration(queries, database.kind, number, builds);
    }, waits);
    await build((number) => numbers.includes(number));
  }
  const isNew = done === 0 && database.kind === 'postgres';
  await requireMigration(database, isNew ? Math.max(minWriterMigration, newestFormat) : minWriterMigration);
}

/** Does nothing if another node has applied it. Without the indexes of `builds`, which are built later. */
async function applyMigration(
  queries: Queries,
  kind: Database['kind'],
  number: number,
  builds: readonly IndexBuild[],
): Promise<void> {
  const claimed =
    await sql`insert into migrations (number) values (${number}) on conflict do nothing returning number`.execute(
      queries,
    );
  if (claimed.rows.length === 0) return;
  const isLater = (statement: string) =>
    builds.some((one) => one.number === number && one.statement === statement);
  for (const statement of statementsOf(kind, number))
    if (!isLater(statement)) await sql.raw(statement).execute(queries);
}

/** Indexes that are built while their tables are in use. */
const buildsOf = (kind: Database['kind']): readonly IndexBuild[] =>
  kind === 'sqlite'
    ? []
    : indexBuilds(
        migrations
          .map((_, index) => ({ number: index + 1, statements: statementsOf(kind, index + 1) }))
          .slice(lastExclusiveMigration),
      );

/** Whether a migration drops something that running programs may be using. */
const contracts = (done: number): boolean =>
  migrations.some((_, index) => index >= done && unusedSince(index + 1) !== null);

/** A newer Linnet has migrated the store, and this one may still write to it. */
async function mayWrite(database: Database): Promise<boolean> {
  const least = await minMigration(database.read);
  return least !== null && least <= newestMigration;
}

async function migrationsDone(database: Database): Promise<number> {
  const newest = await database.read
    .selectFrom(sql<{ number: number }>`migrations`.as('done'))
    .select(sql<number | null>`max(number)`.as('number'))
    .executeTakeFirst();
  return newest?.number ?? 0;
}

async function createMigrationsTable(database: Database): Promise<void> {
  const statement = migrationsTable(database.kind);
  const create = () => database.write((queries) => sql.raw(statement).execute(queries));
  // PostgreSQL's "if not exists" can still collide with another node that creates the same table at the same time.
  await create().catch(create);
}
