import { type HitColumn, hitColumns, wordFields } from '../../rules/click-fields.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import type { NativeType } from './native-block.ts';

const words: ReadonlySet<string> = new Set(wordFields);
/** Codes of closed lists, which have far fewer words than a byte. */
const codes: ReadonlySet<string> = new Set<HitColumn>([
  'outcome',
  'target',
  'class',
  'reason',
  'device',
  'source',
]);

export function typeOf(column: HitColumn): NativeType {
  if (column === 'at') return 'Int64';
  return codes.has(column) && !words.has(column) ? 'UInt8' : 'UInt64';
}

const month = "toYYYYMM(fromUnixTimestamp64Milli(at, 'UTC'))";
/** Of a link one after the other, so that neighbours differ little. */
const rising: ReadonlySet<HitColumn> = new Set<HitColumn>(['at']);
const definition = (column: HitColumn): string =>
  `${column} ${typeOf(column)} codec(${rising.has(column) ? 'Delta, ' : ''}ZSTD(1))`;

/** What was answered as written is on disk, also where the power fails. */
const durable =
  'fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 10000';

const tables = [
  `create table if not exists hits (
    id UInt64 codec(Delta, ZSTD(1)), ${hitColumns.map(definition).join(', ')},
    index by_id id type minmax granularity 1
  ) engine = MergeTree partition by ${month} order by (organization_id, link_id, at) settings ${durable}`,
  // Which ids have which part of a journal, and an instant of each month in which its hits are.
  `create table if not exists hit_batches (
    journal String, segment UInt64, byte_offset UInt64, first_id UInt64, last_id UInt64, instants Array(Int64),
    folded_at Int64
  ) engine = MergeTree order by (journal, segment, byte_offset) settings ${durable}`,
  // Ids of hits that a step of a correction is about.
  `create table if not exists hit_parts (part String, id UInt64)
    engine = MergeTree partition by part order by id settings fsync_after_insert = 1, fsync_part_directory = 1`,
  // Which store's hits these are.
  'create table if not exists hit_store (id String) engine = MergeTree order by id',
];

/**
 * Makes what is missing: tables, and columns that a newer version has added; several nodes may do so at once. A database has the
 * hits of one store.
 */
export async function prepareTables(client: ClickhouseClient, storeId: string): Promise<void> {
  await makeTables(client);
  const ids = () => client.rows<{ id: string }>('select id from hit_store order by id');
  if ((await ids()).length === 0) await client.run(`insert into hit_store values (${quoted(storeId)})`);
  if ((await ids()).some(({ id }) => id !== storeId)) throw new OtherStore();
}

/** The database of this server has the hits of another store. */
export class OtherStore extends Error {
  override readonly name = 'OtherStore';
  override readonly message = 'it has the clicks of another store';
}

async function makeTables(client: ClickhouseClient): Promise<void> {
  for (const table of tables) await client.run(table);
  const rows = await client.rows<{ name: HitColumn }>(
    "select name from system.columns where database = currentDatabase() and table = 'hits'",
  );
  const found = new Set(rows.map(({ name }) => name));
  for (const column of hitColumns)
    if (!found.has(column))
      await client.run(`alter table hits add column if not exists ${definition(column)}`);
}

export const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
