import pg from 'pg';
import { connectTimeout } from '../storage/drivers/connect-timeout.ts';
import { primaryOf } from '../storage/drivers/find-primary.ts';
import { faultOf } from '../storage/drivers/postgres-faults.ts';
import { beginWith, noLimits } from '../storage/drivers/postgres-pool.ts';
import type { Watermark } from '../storage/journal-watermarks.ts';
import { newerStore } from '../storage/migrate.ts';
import { hitMove, hitStoreId } from '../storage/moved-hits.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import { keyFingerprintSetting } from '../storage/settings.ts';
import {
  type BackupPart,
  BackupProblem,
  type BackupStream,
  isExcluded,
  orderByReference,
} from './backup-stream.ts';
import { type HitSource, hitsFrom, hitTables } from './external-hits.ts';

const rowsAtOnce = 1_000;

/** How often to retry if the tables are changed between listing and locking them. */
const maxTries = 5;

/**
 * Everything in a PostgreSQL store in one snapshot, while others go on writing to it. Hits on another server are read from `source`,
 * or left out if that is null.
 */
export async function readPostgres(
  url: string,
  now: Date,
  source: HitSource | null = null,
): Promise<BackupStream> {
  const client = await connect(url);
  try {
    const migration = await beginSnapshot(client);
    const keyMark = await settingOf(client, keyFingerprintSetting);
    return {
      header: { kind: 'postgres', migration, madeAt: now.toISOString(), keyMark },
      parts: partsOf(url, client, source),
      close: () => client.end(),
    };
  } catch (cause) {
    await client.end();
    throw cause;
  }
}

export async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const connectionString = await primaryOf(url);
  const client = new pg.Client({
    connectionString,
    application_name: 'linnet backup',
    connectionTimeoutMillis: connectTimeout(url),
    keepAlive: true,
  });
  // An error without a listener would end the process; the failing query reports it.
  client.on('error', () => {});
  await client.connect().catch((cause) => {
    throw faultOf(cause);
  });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Tables that are not partitions of others. */
export const tablesSql = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`;

/**
 * The tables are locked before the snapshot is taken: a table that is rewritten between the two would appear empty. Others read
 * and write them as before; a migration waits.
 */
async function beginSnapshot(client: pg.Client): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const before = await tablesOf(client);
    if (!before.includes('migrations'))
      throw new BackupProblem(
        'There is no store yet: the database has no table "migrations". Check DATABASE_URL.',
      );
    await client.query(`${beginWith(noLimits)}; set transaction isolation level repeatable read, read only`);
    try {
      await client.query(`lock table ${before.join(', ')} in access share mode`);
    } catch (cause) {
      await client.query('rollback');
      if ((cause as { code?: string }).code !== '42P01' || attempt === maxTries) throw cause;
      continue;
    }
    const { rows } = await client.query('select max(number)::int as number from migrations');
    if (String(await tablesOf(client)) === String(before)) return requireSupported(rows[0]?.number ?? 0);
    await client.query('rollback');
    if (attempt === maxTries) throw new BackupProblem('The tables are being changed. Try again in a minute.');
  }
}

function requireSupported(migration: number): number {
  if (migration > newestMigration)
    throw new BackupProblem(`The database can not be backed up: ${newerStore}.`);
  return migration;
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`${tablesSql} order by 1`);
  return rows.map(({ name }) => name);
}

/** Their content is also in the rows and packs. */
const rebuiltTables: ReadonlySet<string> = new Set(['hit_chunks', 'hit_chunk_links', 'hit_link_groups']);

async function* partsOf(
  url: string,
  client: pg.Client,
  source: HitSource | null,
): AsyncGenerator<BackupPart> {
  const hasHitServer = (await settingOf(client, hitStoreId)) !== null;
  const newestCorrection = hasHitServer && source !== null ? await newestFinishedCorrection(client) : 0;
  const names = (await tablesOf(client)).filter(
    (name) =>
      name !== 'migrations' &&
      !isExcluded(name) &&
      !rebuiltTables.has(name) &&
      !(hasHitServer && hitTables.has(name)),
  );
  const references = await client.query<{ name: string; target: string }>(
    `select conrelid::regclass::text as name, confrelid::regclass::text as target from pg_constraint
      where contype = 'f' and connamespace = current_schema()::regnamespace`,
  );
  const targets = Map.groupBy(references.rows, ({ name }) => name);
  const byTable = new Map([...targets].map(([name, rows]) => [name, rows.map(({ target }) => target)]));
  for (const name of orderByReference(names, byTable)) yield* tableOf(client, name);
  if (hasHitServer && source !== null) {
    yield* hitsFrom(source, [...(await columnTypesOf(client, 'hits')).keys()], await countedTo(client));
    await requireNoCorrectionAfter(url, newestCorrection);
  }
  yield { part: 'ids', last: await lastIds(client) };
}

/**
 * The snapshot doesn't include hits on another server: totals that a correction has changed would not match hits that it hasn't, or
 * the other way round. Returns the id of the newest correction.
 */
async function newestFinishedCorrection(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ newest: string | null; running: string }>(
    'select max(id) as newest, count(due_at) as running from click_corrections',
  );
  if (Number(rows[0]?.running ?? 0) > 0)
    throw new BackupProblem('Clicks are being corrected or erased. Make the backup when that is done.');
  return Number(rows[0]?.newest ?? 0);
}

async function requireNoCorrectionAfter(url: string, newest: number): Promise<void> {
  await using client = await connect(url);
  const { rows } = await client.query('select 1 from click_corrections where id > $1 limit 1', [newest]);
  if (rows.length > 0)
    throw new BackupProblem('Clicks were corrected or erased during the backup. Make it again.');
}

async function settingOf(client: pg.Client, key: string): Promise<string | null> {
  const { rows } = await client.query<{ value: string }>('select value from settings where key = $1', [key]);
  return rows[0]?.value ?? null;
}

async function countedTo(client: pg.Client): Promise<readonly Watermark[]> {
  const { rows } = await client.query<{ journal: string; segment: string; offset: string }>(
    'select node as journal, segment, byte_offset as offset from journal_watermarks',
  );
  return rows.map(({ journal, segment, offset }) => ({
    journal,
    segment: Number(segment),
    offset: Number(offset),
  }));
}

/** The id of a store whose hits are on another server, otherwise null. Fails while they are being moved there. */
export async function externalStoreId(url: string): Promise<string | null> {
  await using client = await connect(url);
  if (!(await tablesOf(client)).includes('settings')) return null;
  const storeId = await settingOf(client, hitStoreId);
  if (storeId !== null && (await settingOf(client, hitMove)) !== null)
    throw new BackupProblem('Individual clicks are being moved to ClickHouse. Try again when that is done.');
  return storeId;
}

async function* tableOf(client: pg.Client, name: string): AsyncGenerator<BackupPart> {
  const columns = [...(await columnTypesOf(client, name))];
  const bytes = columns.filter(([, type]) => type === 'bytea').map(([column]) => column);
  yield { part: 'table', name, columns: columns.map(([column]) => column), bytes };
  const cells = columns.map(([column]) => (bytes.includes(column) ? `encode(${column}, 'hex')` : column));
  await client.query(
    `declare backup no scroll cursor for select json_build_array(${cells.join(', ')})::text as json from ${name}`,
  );
  for (;;) {
    const { rows } = await client.query<{ json: string }>(`fetch forward ${rowsAtOnce} from backup`);
    if (rows.length === 0) break;
    yield { part: 'rows', json: `[${rows.map(({ json }) => json).join(',')}]`, count: rows.length };
  }
  await client.query('close backup');
}

export async function columnTypesOf(client: pg.Client, table: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Columns with a sequence of their own, which are all called "id". */
export async function sequencesOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sequence: string | null }>(
    `select relname as name, pg_get_serial_sequence(relname, 'id') as sequence from pg_class
      join pg_attribute on attrelid = pg_class.oid and attname = 'id'
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  return new Map(rows.flatMap(({ name, sequence }) => (sequence === null ? [] : [[name, sequence]])));
}

async function lastIds(client: pg.Client): Promise<Record<string, number>> {
  const last: Record<string, number> = {};
  for (const [name, sequence] of await sequencesOf(client)) {
    const { rows } = await client.query(`select last_value, is_called from ${sequence}`);
    if (rows[0]?.is_called) last[name] = Number(rows[0].last_value);
  }
  return last;
}
