import { Database as Sqlite } from 'bun:sqlite';
import { newerStore } from '../storage/migrate.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import { keyFingerprintSetting } from '../storage/settings.ts';
import { sqliteTodo } from '../storage/sqlite-todo.ts';
import {
  type BackupPart,
  BackupProblem,
  type BackupStream,
  isExcluded,
  maxRowsLength,
  orderByReference,
} from './backup-stream.ts';
import { isThere } from './read-only-store.ts';

/** After this many rows the event loop gets to other work of this process. */
const maxRowsAtOnce = 2_000;

/** Everything in a SQLite store in one snapshot, while others go on writing to it. */
export function readSqlite(file: string, now: Date): BackupStream {
  const database = openFile(file);
  try {
    database.run('pragma busy_timeout = 5000');
    database.run('begin');
    const migration = migrationOf(database);
    if (migration === 0) throw new BackupProblem(`${file} is no store of Linnet.`);
    if (migration > newestMigration) throw new BackupProblem(`${file}: ${newerStore}.`);
    return {
      header: { kind: 'sqlite', migration, madeAt: now.toISOString(), keyMark: keyMarkOf(database) },
      parts: partsOf(database),
      close: async () => database.close(),
    };
  } catch (cause) {
    database.close();
    if (cause instanceof BackupProblem) throw cause;
    const { message } = cause as Error;
    throw new BackupProblem(
      `${file} can not be read as a store of Linnet: ${message}.${sqliteTodo(file, message)}`,
    );
  }
}

function openFile(file: string): Sqlite {
  try {
    if (isThere(file)) return new Sqlite(file, { readonly: true });
  } catch (cause) {
    const { message } = cause as Error;
    throw new BackupProblem(`${file} can not be read: ${message}.${sqliteTodo(file, message)}`);
  }
  throw new BackupProblem(`There is no store yet: ${file} is missing. Check DATA_DIR.`);
}

/** Hits that were added to a chunk stay in these tables for a minute; nothing reads them. */
const chunkedTables: ReadonlySet<string> = new Set(['hits', 'hit_packs']);
const notChunked = `left join (select organization_id as owner, max(last_id) as chunked_up_to from hit_chunks group by 1) on owner = organization_id
  where chunked_up_to is null or id > chunked_up_to`;

async function* partsOf(database: Sqlite): AsyncGenerator<BackupPart> {
  const hasChunks = tablesOf(database).includes('hit_chunks');
  for (const name of tablesOf(database)) {
    const columns = columnsOf(database, name);
    const bytes = columns.filter(({ type }) => type === 'blob').map((column) => column.name);
    yield { part: 'table', name, columns: columns.map((column) => column.name), bytes };
    const cells = columns.map((column) =>
      bytes.includes(column.name) ? `hex(${column.name})` : column.name,
    );
    const rows = `select json_array(${cells.join(', ')}) as json from ${name}`;
    yield* rowsOf(database, hasChunks && chunkedTables.has(name) ? `${rows} ${notChunked}` : rows);
  }
  const ids = database
    .query<{ name: string; seq: number }, []>('select name, seq from sqlite_sequence')
    .all();
  yield { part: 'ids', last: Object.fromEntries(ids.map(({ name, seq }) => [name, seq])) };
}

async function* rowsOf(database: Sqlite, sql: string): AsyncGenerator<BackupPart> {
  const statement = database.prepare<{ json: string }, []>(sql);
  let rows: string[] = [];
  let length = 0;
  try {
    for (const { json } of statement.iterate()) {
      rows.push(json);
      length += json.length;
      if (length < maxRowsLength && rows.length < maxRowsAtOnce) continue;
      yield { part: 'rows', json: `[${rows.join(',')}]`, count: rows.length };
      [rows, length] = [[], 0];
    }
    if (rows.length > 0) yield { part: 'rows', json: `[${rows.join(',')}]`, count: rows.length };
  } finally {
    statement.finalize();
  }
}

function migrationOf(database: Sqlite): number {
  const found = database
    .query("select 1 from sqlite_master where type = 'table' and name = 'migrations'")
    .get();
  if (found === null) return 0;
  const newest = database
    .query<{ number: number | null }, []>('select max(number) as number from migrations')
    .get();
  return newest?.number ?? 0;
}

function tablesOf(database: Sqlite): string[] {
  const all = database
    .query<{ name: string }, []>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .all();
  const names = all.map(({ name }) => name).filter((name) => name !== 'migrations' && !isExcluded(name));
  const references = new Map(
    names.map((name) => [
      name,
      database
        .query<{ table: string }, [string]>('select "table" from pragma_foreign_key_list(?)')
        .all(name)
        .map(({ table }) => table),
    ]),
  );
  if (references.has('hit_chunk_columns')) references.set('hit_chunk_columns', ['hit_chunks']);
  return orderByReference(names, references);
}

function keyMarkOf(database: Sqlite): string | null {
  const setting = database.query<{ value: string }, [string]>('select value from settings where key = ?');
  return setting.get(keyFingerprintSetting)?.value ?? null;
}

export const columnsOf = (
  database: Sqlite,
  table: string,
): { readonly name: string; readonly type: string }[] =>
  database
    .query<{ name: string; type: string }, [string]>(
      'select name, lower(type) as type from pragma_table_info(?)',
    )
    .all(table);
