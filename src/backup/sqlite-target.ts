import { Database as Sqlite, type Statement } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { destinationKey } from '../rules/destinations/destination-key.ts';
import { migrationsTable, statementsOf } from '../storage/migrate.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import { makePrivate } from '../storage/private-files.ts';
import {
  type BackupHeader,
  type BackupPart,
  BackupProblem,
  type BackupTarget,
  type Cells,
  type TablePart,
} from './backup-stream.ts';
import { columnsOf } from './sqlite-source.ts';

type Cell = string | number | null | Uint8Array;

const fileSuffixes = ['', '-wal', '-shm', '-journal'];

/** Filled under a temporary name, and renamed at the end: a restore that is killed leaves no store behind. */
export class SqliteTarget implements BackupTarget {
  readonly kind = 'sqlite';
  readonly #file: string;
  readonly #partialFile: string;
  #database: Sqlite | null = null;
  #migration = 0;
  #indexes: string[] = [];
  /** Tables that were emptied of what the migrations inserted. */
  readonly #emptied = new Set<string>();
  #insert: Statement<unknown, Cell[]> | null = null;
  /** Indexes of columns whose cells are in hexadecimal. */
  #bytes: readonly number[] = [];

  constructor(file: string) {
    this.#file = file;
    this.#partialFile = `${file}.restoring`;
    // A start on a full disk leaves an empty file, which a new store replaces.
    const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0;
    const existing = fileSuffixes
      .filter((suffix) => suffix !== '' || !isEmpty)
      .map((suffix) => file + suffix)
      .find((path) => existsSync(path));
    if (existing === undefined) return;
    throw new BackupProblem(
      `There is a store already: ${existing}. Move linnet.sqlite, linnet.sqlite-wal and linnet.sqlite-shm away, or set DATA_DIR to another folder.`,
    );
  }

  async begin({ migration }: BackupHeader): Promise<void> {
    this.#removePartialFile();
    makePrivate(this.#partialFile);
    const database = new Sqlite(this.#partialFile, { create: true, readwrite: true });
    // Migrations use it.
    database.function('destination_key', destinationKey);
    this.#database = database;
    // If the machine crashes, the restore is simply repeated.
    for (const pragma of [
      'journal_mode = memory',
      'synchronous = off',
      'foreign_keys = off',
      'cache_size = -200000',
    ])
      database.run(`pragma ${pragma}`);
    database.run('begin');
    database.run(migrationsTable('sqlite'));
    this.#migrate(1, migration);
    this.#migration = migration;
    const indexes = database.query<{ name: string; sql: string }, []>(
      "select name, sql from sqlite_master where type = 'index' and sql is not null",
    );
    // Created again at the end, each with one sort of all its rows.
    this.#indexes = indexes.all().map(({ name, sql }) => {
      database.run(`drop index ${name}`);
      return sql;
    });
  }

  async take(part: BackupPart): Promise<void> {
    if (part.part === 'table') this.#beginTable(part);
    else if (part.part === 'rows') this.#insertAll(part.rows ?? (JSON.parse(part.json) as Cells[]));
    else this.#setIds(part.last);
  }

  async finish(): Promise<void> {
    const database = this.#opened;
    for (const sql of this.#indexes) database.run(sql);
    this.#migrate(this.#migration + 1, newestMigration);
    const [broken] = database
      .query<{ table: string }, []>('select "table" from pragma_foreign_key_check')
      .all();
    if (broken)
      throw new BackupProblem(
        `The backup is damaged: a row of ${broken.table} refers to one that is not there.`,
      );
    database.run('commit');
    this.#end();
    await syncToDisk(this.#partialFile);
    await rename(this.#partialFile, this.#file);
    await syncToDisk(dirname(this.#file));
  }

  async close(): Promise<void> {
    if (this.#database === null) return;
    this.#end();
    this.#removePartialFile();
  }

  #beginTable({ name, columns, bytes }: TablePart): void {
    this.#insert?.finalize();
    this.#insert = null;
    const known = columnsOf(this.#opened, name).map((column) => column.name);
    const unknown = columns.find((column) => !known.includes(column));
    if (known.length === 0 || unknown !== undefined)
      throw new BackupProblem(
        `The backup has ${name}${unknown ? `.${unknown}` : ''}, which this version does not know.`,
      );
    if (!this.#emptied.has(name)) this.#opened.run(`delete from ${name}`);
    this.#emptied.add(name);
    this.#bytes = bytes.map((column) => columns.indexOf(column));
    this.#insert = this.#opened.prepare<unknown, Cell[]>(
      `insert into ${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    );
  }

  #insertAll(rows: readonly Cells[]): void {
    for (const row of rows) {
      const cells: Cell[] = [...row];
      for (const index of this.#bytes) cells[index] = Buffer.from(String(row[index]), 'hex');
      this.#insert?.run(...cells);
    }
  }

  #setIds(last: Readonly<Record<string, number>>): void {
    for (const [table, id] of Object.entries(last)) {
      this.#opened.query('delete from sqlite_sequence where name = ?').run(table);
      this.#opened.query('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, id);
    }
  }

  #migrate(from: number, to: number): void {
    for (let number = from; number <= to; number++) {
      this.#opened.query('insert into migrations (number) values (?)').run(number);
      for (const statement of statementsOf('sqlite', number)) this.#opened.run(statement);
    }
  }

  get #opened(): Sqlite {
    if (this.#database === null) throw new Error('not begun');
    return this.#database;
  }

  #end(): void {
    this.#insert?.finalize();
    this.#insert = null;
    this.#database?.close();
    this.#database = null;
  }

  #removePartialFile(): void {
    for (const suffix of fileSuffixes) rmSync(this.#partialFile + suffix, { force: true });
  }
}

export async function syncToDisk(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
