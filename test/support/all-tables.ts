import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SQL } from 'bun';

/** Every table of a store with its rows, as sorted strings. Read directly from the database. */
type AllTables = Record<string, readonly string[]>;

/** Settings that every start and every backup writes. */
const ownSettings: ReadonlySet<unknown> = new Set(['last_backup_at']);

export async function allTables(dataDir: string, databaseUrl: string): Promise<AllTables> {
  const reader = databaseUrl === '' ? inSqlite(dataDir) : inPostgres(databaseUrl);
  try {
    const tables: AllTables = {};
    for (const name of await reader.tables()) {
      const rows = (await reader.rows(name)).filter(
        ({ key }) => name !== 'settings' || !ownSettings.has(key),
      );
      tables[name] = rows.map(textOf).sort();
    }
    return tables;
  } finally {
    await reader.close();
  }
}

function inSqlite(dataDir: string) {
  const database = new Database(join(dataDir, 'linnet.sqlite'), { readonly: true });
  const rows = (sql: string) => database.query(sql).all() as Record<string, unknown>[];
  return {
    tables: async () =>
      rows("select name from sqlite_master where type = 'table' and name <> 'sqlite_stat1'").map(({ name }) =>
        String(name),
      ),
    rows: async (name: string) => rows(`select * from ${name}`),
    close: async () => database.close(),
  };
}

function inPostgres(url: string) {
  const sql = new SQL({ url, max: 1 });
  const rows = async (text: string) => [...(await sql.unsafe(text))] as Record<string, unknown>[];
  return {
    tables: async () =>
      (
        await rows(
          "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition",
        )
      ).map(({ name }) => String(name)),
    rows: (name: string) => rows(`select * from ${name}`),
    close: () => sql.end(),
  };
}

const textOf = (row: Record<string, unknown>): string =>
  JSON.stringify(
    Object.entries(row)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value),
      ]),
  );
