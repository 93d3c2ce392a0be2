import { statSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsOf, settingIn } from '../backup/read-only-store.ts';
import { shellCommand } from '../bundle/shell-command.ts';
import { lostStoreAdvice, lostStoreMessage, traceOfLostStore } from '../journal/lost-store.ts';
import { readOnlyTodo, rightsTodo } from '../rules/database-todo.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import { readOnlySql, takesChanges } from '../storage/drivers/find-primary.ts';
import { encodingSql, isUtf8, wrongEncodingFound, wrongEncodingTodo } from '../storage/encoding.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import { minMigrationKey } from '../storage/setting-keys.ts';
import type { CheckContext } from './check-context.ts';

/** More than a backlog causes. */
const largeWal = 500e6;

export async function databaseFindings({
  config,
  store,
  storeProblem,
  dataDir,
}: CheckContext): Promise<Finding> {
  if (storeProblem !== null)
    return problem(storeProblem, 'Bring the database back. Clicks wait in the journal meanwhile.');
  if (store === null)
    return lostStore(config, dataDir) ?? notice('There is no store yet.', 'The first start makes it.');
  const [row] = await store.query(
    store.kind === 'sqlite'
      ? 'select sqlite_version() as version'
      : "select current_setting('server_version') as version",
  );
  const name = `${store.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${row?.version}`;
  const done = await migrationsOf(store);
  if (store.kind === 'postgres') {
    const [{ server_encoding } = {}] = await store.query(encodingSql);
    if (!isUtf8(String(server_encoding)))
      return problem(wrongEncodingFound(String(server_encoding)), wrongEncodingTodo);
    const missing = await missingRight(store, done);
    if (missing !== null) return problem(`${name}: ${missing}`, rightsTodo);
  }
  if (done === 0)
    return (
      lostStore(config, dataDir) ?? notice(`${name}: there are no tables yet.`, 'The first start makes them.')
    );
  if (done > newestMigration && !(await isCompatible(store)))
    return problem(
      `${name}: the tables are those of a newer Linnet (${done}).`,
      'Start that version, or restore a backup from before it.',
    );
  if (done < newestMigration)
    return notice(
      `${name}: the tables are those of an earlier Linnet (${done} of ${newestMigration}).`,
      'The next start changes them; upgrade --check says what that takes.',
    );
  if (store.kind === 'postgres' && !takesChanges(await store.query(readOnlySql)))
    return problem(`${name} can only be read at the moment.`, `${readOnlyTodo} Clicks wait in the journal.`);
  const wal = store.kind === 'sqlite' ? sizeOf(join(dataDir, 'linnet.sqlite-wal')) : 0;
  if (wal > largeWal)
    return notice(
      `${name}: linnet.sqlite-wal has ${Math.round(wal / 1e6)} MB.`,
      'Something reads the database for very long, such as a backup; it shrinks after that.',
    );
  return ok(`${name} answers, and its tables are up to date.`);
}

/** Null if the first start makes a store. */
function lostStore({ databaseUrl }: CheckContext['config'], dataDir: string): Finding | null {
  const trace = databaseUrl === null ? traceOfLostStore(dataDir) : null;
  if (trace === null) return null;
  return problem(lostStoreMessage(dataDir, trace), lostStoreAdvice(shellCommand('restore FILE')));
}

/** What the role can't do, as the end of a sentence. */
async function missingRight(
  { query }: NonNullable<CheckContext['store']>,
  done: number,
): Promise<string | null> {
  const [row] = await query(
    "select coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create",
  );
  if (done === 0) return row?.may_create === false ? 'this user may not make tables.' : null;
  const [table] = await query(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
          and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
      order by relname limit 1`,
  );
  if (table !== undefined) return `this user may not change the table "${table.name}".`;
  // Each start, and each month of clicks, needs to.
  if (row?.may_create === false) return 'this user may not make tables.';
  // Only owners may add a month to a table, or drop one.
  const [foreign] = await query(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
      and relkind in ('r', 'p') and relname in ('hits', 'hit_packs', 'hit_chunks', 'hit_link_groups')
      and not pg_has_role(relowner, 'usage') order by relname limit 1`,
  );
  return foreign === undefined ? null : `this user does not own the table "${foreign.name}".`;
}

/** Whether this version may still write to tables migrated by a newer Linnet. */
async function isCompatible(store: NonNullable<CheckContext['store']>): Promise<boolean> {
  const least = await settingIn(store, minMigrationKey);
  return least !== null && Number(least) <= newestMigration;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
