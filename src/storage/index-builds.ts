import { sql } from 'kysely';
import type { Database, OnLockWait } from './database.ts';
import type { Queries } from './schema.ts';

/** An index of a table that other nodes are using. */
export interface IndexBuild {
  /** The number of its migration. */
  readonly number: number;
  readonly name: string;
  readonly table: string;
  readonly statement: string;
}

const createIndex = /^\s*create (?<unique>unique )?index (?<name>\w+) on (?<table>\w+)/i;

/** The index that a statement creates, unless its table is created with it. */
function indexBuildOf(number: number, statement: string, statements: readonly string[]): IndexBuild | null {
  const { name = '', table = '' } = createIndex.exec(statement)?.groups ?? {};
  const isNew = statements.some((other) => new RegExp(`^\\s*create table ${table}\\b`, 'i').test(other));
  return name === '' || isNew ? null : { number, name, table, statement };
}

/** The indexes that should exist after these migrations: without those that a later one drops, also with their table. */
export function indexBuilds(
  migrations: readonly { readonly number: number; readonly statements: readonly string[] }[],
): IndexBuild[] {
  const builds = new Map<string, IndexBuild>();
  for (const { number, statements } of migrations)
    for (const statement of statements) {
      const [, kind = '', name] = /^\s*drop (index|table) (?:if exists )?(\w+)/i.exec(statement) ?? [];
      for (const build of builds.values())
        if (name === (kind.toLowerCase() === 'index' ? build.name : build.table)) builds.delete(build.name);
      const build = indexBuildOf(number, statement, statements);
      if (build !== null) builds.set(build.name, build);
    }
  return [...builds.values()];
}

/** Milliseconds between two looks at a build of another session. */
const otherBuildPause = 500;

/**
 * Builds missing indexes while their tables are in use. An index that an interrupted start left half-built is dropped and built
 * again. Of several nodes that start at once one builds; the others wait for it.
 */
export async function buildIndexes(
  database: Database,
  builds: readonly IndexBuild[],
  waits?: OnLockWait,
): Promise<void> {
  const { outsideTransaction } = database;
  if (outsideTransaction === null || builds.length === 0) return;
  const states = await statesOf(database.read, builds);
  for (const build of builds) {
    if (states.get(build.name) === 'valid') continue;
    const buildInTurn = () =>
      database.migrate(async (queries) => {
        // Without parameters: otherwise the open portal keeps a snapshot, and the build waits for the transaction that it runs
        // in.
        await sql`select number from migrations where number = ${sql.lit(build.number)} for update`.execute(
          queries,
        );
        if (await isPartitioned(database.read, build.table)) return buildInPartitions(queries, build);
        return buildOutsideTransaction(database.read, build, (statement) =>
          outsideTransaction(statement, waits),
        );
      }, waits);
    while (!(await buildInTurn())) await Bun.sleep(otherBuildPause);
  }
}

type State = 'missing' | 'invalid' | 'valid';

/**
 * False if another session is building an index of the table: the server continues the build of a node that has stopped. Such a build
 * may be waiting for the transaction of this turn, which had a snapshot in its first moments, so the transaction must end.
 */
async function buildOutsideTransaction(
  queries: Queries,
  build: IndexBuild,
  run: (statement: string) => Promise<void>,
): Promise<boolean> {
  const { name, table, statement } = build;
  for (;;) {
    if (await isBeingIndexed(queries, table)) return false;
    const state = (await statesOf(queries, [build])).get(name) ?? 'missing';
    if (state === 'valid') return true;
    if (state === 'invalid') await run(`drop index concurrently if exists ${name}`);
    else await run(statement.replace(/\bindex\b/i, 'index concurrently'));
  }
}

async function isBeingIndexed(queries: Queries, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_progress_create_index
    where datname = current_database() and relid = to_regclass(${table})`.execute(queries);
  return rows.length > 0;
}

/** For the ledger's tables: only the fold writes them, and clicks wait in the journal. */
async function buildInPartitions(queries: Queries, { name, statement }: IndexBuild): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(queries);
  if (rows.length === 0) await sql.raw(statement).execute(queries);
  return true;
}

async function isPartitioned(queries: Queries, table: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_class where oid = to_regclass(${table}) and relkind = 'p'`.execute(queries);
  return rows.length > 0;
}

async function statesOf(
  queries: Queries,
  builds: readonly IndexBuild[],
): Promise<ReadonlyMap<string, State>> {
  const { rows } = await sql<{ name: string; state: State }>`
    select relname as name, case when indisvalid then 'valid' else 'invalid' end as state
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = (select relnamespace from pg_class where oid = to_regclass('migrations'))
      and relname in (${sql.join(builds.map(({ name }) => name))})`.execute(queries);
  return new Map(rows.map(({ name, state }) => [name, state]));
}
