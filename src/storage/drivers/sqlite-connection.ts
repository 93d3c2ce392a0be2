import { type SQLQueryBindings, Database as Sqlite, type Statement as SqliteStatement } from 'bun:sqlite';
import { destinationKey } from '../../rules/destinations/destination-key.ts';
import { makePrivate } from '../private-files.ts';
import { beginImmediate } from './begin-immediate.ts';

export interface Answer {
  readonly rows: unknown[];
  readonly changes: number;
}

/** Of statements that stay prepared. SQLite needs several times as much memory for one as its text has characters. */
const maxStatements = 200;
const maxCharacters = 500_000;
/** Besides these, the system caches the file: a page that only the system's cache has costs about a microsecond more. */
const cacheKilobytes = { write: 12_000, read: 8_000 };

/** One connection with its prepared statements. Synchronous: its thread waits for the disk. */
export class SqliteConnection {
  readonly #database: Sqlite;
  readonly #statements = new Map<string, SqliteStatement>();
  /** Of all texts in `#statements`. */
  #characters = 0;
  readonly #kept: SqliteStatement[] = [];

  /** Statements with `keep_going(…)` (see `dialect.ts`) end with an error as soon as `isStopped`. */
  constructor(file: string, mode: 'write' | 'read', isStopped: () => boolean = () => false) {
    if (mode === 'write') makePrivate(file);
    this.#database = new Sqlite(
      file,
      mode === 'write' ? { create: true, readwrite: true } : { readonly: true },
    );
    this.#database.function('keep_going', { varargs: true }, () => {
      if (isStopped()) throw new Error('stopped');
      return 1;
    });
    if (mode === 'write') this.#database.function('destination_key', destinationKey);
    try {
      this.#settle(mode);
    } catch (cause) {
      // SQLite also opens a file that is not a database: only the first statement fails.
      this.#database.close();
      throw cause;
    }
  }

  #settle(mode: 'write' | 'read'): void {
    this.#database.run('pragma busy_timeout = 5000');
    this.#database.run(`pragma cache_size = -${cacheKilobytes[mode]}`);
    if (mode === 'write') {
      this.#switchToWal();
      // SQLite keeps the previous pages until a statement ends, in case it fails: by default in a file, which is slow.
      this.#database.run('pragma temp_store = memory');
      this.#database.run('pragma synchronous = full');
      this.#database.run('pragma wal_autocheckpoint = 8000');
      this.#database.run('pragma foreign_keys = on');
      // Deleted data is overwritten.
      this.#database.run('pragma secure_delete = on');
    }
  }

  /** `inside` is for statements of a transaction: they fail if SQLite has ended it by itself. */
  run(sql: string, parameters: readonly unknown[], inside = false): Answer {
    if (inside && !this.#database.inTransaction) {
      throw Object.assign(new Error('the transaction has ended'), { code: 'SQLITE_BUSY' });
    }
    if (sql === 'begin immediate') {
      beginImmediate(this.#database);
      return { rows: [], changes: 0 };
    }
    if (sql.startsWith('pragma ')) {
      // SQLite applies a pragma when it is prepared, not when it runs: none is cached.
      this.#database.run(sql);
      return { rows: [], changes: 0 };
    }
    const statement = this.#prepare(sql);
    const bindings = parameters.map(binding);
    if (statement.columnNames.length > 0) {
      const rows = statement.all(...bindings);
      return { rows, changes: rows.length };
    }
    return { rows: [], changes: statement.run(...bindings).changes };
  }

  /** All statements read the same snapshot. */
  async inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    this.#database.run('begin');
    try {
      return await work();
    } finally {
      this.#database.run('commit');
    }
  }

  rows<Row>(sql: string, parameters: readonly (number | string)[]): readonly Row[] {
    return this.#prepare(sql).all(...parameters) as Row[];
  }

  /** For a frequent query: its statement stays prepared and needs no lookup. */
  rowFinder<Row>(sql: string): (...parameters: (number | string)[]) => Row | null {
    const statement = this.#database.prepare<Row, (number | string)[]>(planned(sql));
    this.#kept.push(statement);
    return (...parameters) => statement.get(...parameters);
  }

  close(): void {
    for (const statement of this.#kept) statement.finalize();
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#database.close();
  }

  /** The switch ignores the busy timeout: several processes that open a new file at once take turns. */
  #switchToWal(): void {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#database.run('pragma journal_mode = wal');
        return;
      } catch (cause) {
        if ((cause as { code?: string }).code !== 'SQLITE_BUSY' || attempt >= 200) throw cause;
        Bun.sleepSync(25);
      }
    }
  }

  /** Lists of varying length lead to ever new statements, so the least recently used are dropped. */
  #prepare(sql: string): SqliteStatement {
    const cached = this.#statements.get(sql);
    if (cached) {
      this.#statements.delete(sql);
      this.#statements.set(sql, cached);
      return cached;
    }
    const created = this.#database.prepare(planned(sql));
    this.#statements.set(sql, created);
    this.#characters += sql.length;
    for (const [oldest, statement] of this.#statements) {
      const fits = this.#statements.size <= maxStatements && this.#characters <= maxCharacters;
      if (fits || oldest === sql) break;
      this.#statements.delete(oldest);
      this.#characters -= oldest.length;
      statement.finalize();
    }
    return created;
  }
}

/**
 * SQLite inspects the values that columns are compared with, assumes that 1 and 0 are frequent, and therefore recompiles the
 * statement whenever they change: 26 µs for a link with its domain, where running it takes 2. It doesn't inspect expressions.
 */
const planned = (sql: string): string => sql.replace(/(?<= = )(\?\d*|\$\d+)(?![\w?])/g, 'ifnull($1, null)');

function binding(value: unknown): SQLQueryBindings {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === undefined ? null : (value as SQLQueryBindings);
}
