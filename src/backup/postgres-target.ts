import type pg from 'pg';
import { type Connection, Partitions } from '../ledger/stores/partitions.ts';
import { beginWith, noLimits } from '../storage/drivers/postgres-pool.ts';
import { encodingSql, requireUtf8 } from '../storage/encoding.ts';
import { migrationsTable, statementsOf } from '../storage/migrate.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import {
  type BackupHeader,
  type BackupPart,
  BackupProblem,
  type BackupTarget,
  type TablePart,
} from './backup-stream.ts';
import { columnTypesOf, connect, sequencesOf, tablesSql } from './postgres-source.ts';

/** Filled in one transaction: a restore that is killed leaves an empty database. */
export class PostgresTarget implements BackupTarget {
  readonly kind = 'postgres';
  readonly #client: pg.Client;
  #migration = 0;
  #indexes: string[] = [];
  /** Tables that were emptied of what the migrations inserted. */
  readonly #emptied = new Set<string>();
  #insert = '';
  readonly #partitions: Partitions;
  /** The index of the partition key's column; null if the table has no partitions. */
  #partitionKeyIndex: number | null = null;

  private constructor(client: pg.Client) {
    this.#client = client;
    const query: Connection['query'] = async (sql, parameters = []) =>
      (await client.query(sql, [...parameters])).rows;
    // All of it is in one transaction already.
    this.#partitions = new Partitions({ query, transaction: (work) => work(query) });
  }

  static async open(url: string): Promise<PostgresTarget> {
    const client = await connect(url);
    try {
      await requireUsable(client);
      return new PostgresTarget(client);
    } catch (cause) {
      await client.end();
      throw cause;
    }
  }

  async begin({ migration }: BackupHeader): Promise<void> {
    await this.#client.query(beginWith(noLimits));
    // Programs that start on this database meanwhile wait here until the restore is complete.
    await this.#client.query(migrationsTable('postgres'));
    await this.#migrate(1, migration);
    this.#migration = migration;
    const { rows } = await this.#client.query<{ name: string; sql: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql
        from pg_index join pg_class on pg_class.oid = indrelid
        where relnamespace = current_schema()::regnamespace and not relispartition
          and not exists (select from pg_constraint where conindid = indexrelid)`,
    );
    // Created again at the end, each with one sort of all its rows.
    for (const { name } of rows) await this.#client.query(`drop index ${name}`);
    // For a partitioned table the definition contains "on only", which would exclude the partitions.
    this.#indexes = rows.map(({ sql }) => sql.replace(' ON ONLY ', ' ON '));
  }

  async take(part: BackupPart): Promise<void> {
    if (part.part === 'table') await this.#beginTable(part);
    else if (part.part === 'rows') {
      await this.#coverMonths(part.json);
      await this.#client.query(this.#insert, [part.json]);
    } else await this.#setIds(part.last);
  }

  async finish(): Promise<void> {
    for (const sql of this.#indexes) await this.#client.query(sql);
    await this.#migrate(this.#migration + 1, newestMigration);
    await this.#client.query('commit');
    await this.#client.query('analyze').catch(() => {});
  }

  /** Closing the connection rolls back what was not committed. */
  close(): Promise<void> {
    return this.#client.end();
  }

  async #beginTable({ name, columns, bytes }: TablePart): Promise<void> {
    const known = await columnTypesOf(this.#client, name).catch(() => new Map<string, string>());
    const unknown = columns.find((column) => !known.has(column));
    if (unknown !== undefined)
      throw new BackupProblem(`The backup has ${name}.${unknown}, which this version does not know.`);
    if (!this.#emptied.has(name)) await this.#client.query(`delete from ${name}`);
    this.#emptied.add(name);
    const { rows } = await this.#client.query<{ column: string }>(
      `select attname as column from pg_partitioned_table
        join pg_attribute on attrelid = partrelid and attnum = partattrs[0] where partrelid = $1::regclass`,
      [name],
    );
    this.#partitionKeyIndex = rows[0] === undefined ? null : columns.indexOf(rows[0].column);
    const cells = columns.map((column, index) =>
      bytes.includes(column) ? `decode(row ->> ${index}, 'hex')` : `(row ->> ${index})::${known.get(column)}`,
    );
    // In jsonb a cell is found without parsing its whole row again. Each row is converted by itself, because a jsonb has at most
    // 256 MB; "offset 0" keeps that from being done for each cell.
    this.#insert = `insert into ${name} (${columns.join(', ')}) select ${cells.join(', ')}
      from (select value::jsonb as row from json_array_elements($1::json) offset 0) as rows`;
  }

  async #setIds(last: Readonly<Record<string, number>>): Promise<void> {
    const sequences = await sequencesOf(this.#client);
    for (const [table, id] of Object.entries(last)) {
      const sequence = sequences.get(table);
      if (sequence !== undefined) await this.#client.query('select setval($1, $2)', [sequence, id]);
      else if (table === 'hits')
        await this.#client.query('update hit_ids set newest = greatest(newest, $1)', [id]);
    }
  }

  /** Creates the partitions for the rows. */
  async #coverMonths(json: string): Promise<void> {
    if (this.#partitionKeyIndex === null) return;
    const index = this.#partitionKeyIndex;
    const rows = JSON.parse(json) as readonly (readonly unknown[])[];
    await this.#partitions.cover(new Set(rows.map((row) => Number(row[index]))));
  }

  async #migrate(from: number, to: number): Promise<void> {
    for (let number = from; number <= to; number++) {
      await this.#client.query('insert into migrations (number) values ($1)', [number]);
      for (const statement of statementsOf('postgres', number)) await this.#client.query(statement);
    }
  }
}

async function requireUsable(client: pg.Client): Promise<void> {
  const { rows: encodings } = await client.query<{ server_encoding: string }>(encodingSql);
  try {
    requireUtf8(encodings);
  } catch (cause) {
    throw new BackupProblem((cause as Error).message);
  }
  const { rows: tables } = await client.query<{ name: string }>(tablesSql);
  if (tables.length > 0)
    throw new BackupProblem(
      `The database has tables already, such as "${tables[0]?.name}". Restore into an empty one: make it with "createdb --encoding=UTF8 --template=template0 NAME", and set DATABASE_URL to it.`,
    );
}
