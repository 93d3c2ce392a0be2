import { type HitColumn, hitColumns, wordFields } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/utc-time.ts';
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

/** As a block is sent: the server makes of it what the table has. */
export function typeOf(column: HitColumn): NativeType {
  if (column === 'at') return 'Int64';
  return codes.has(column) && !words.has(column) ? 'UInt8' : 'UInt64';
}

/** Words are ids of which a part of the table has few: filters look at each of them once, and rows have its index in a byte or two. */
const storedType = (column: HitColumn): string =>
  words.has(column) ? `LowCardinality(${typeOf(column)})` : typeOf(column);

const month = "toYYYYMM(fromUnixTimestamp64Milli(at, 'UTC'))";
/** ClickHouse has no later years. */
const lastMonth = Date.UTC(2299, 11);

/** Of an instant, as partitions are named: 202611. */
export function monthNumber(at: number): number {
  const date = new Date(Math.min(Math.max(at, 0), lastMonth));
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Of a link one after the other, so that neighbours differ little. */
const rising: ReadonlySet<HitColumn> = new Set<HitColumn>(['at']);
const definition = (column: HitColumn): string =>
  `${column} ${storedType(column)} codec(${rising.has(column) ? 'Delta, ' : ''}ZSTD(1))`;

/** `rollupClassOf` of `rules/click-fields.ts`, in ClickHouse's words. */
export const rollupClassSql = (column = 'class'): string =>
  `if(${column} > 0, ${column} + 1, if(outcome = 0, 0, 1))`;

/** What statistics of an organization ask for, computed as hits come in. `owner` is narrower than the table's key may become. */
const derived: Readonly<Record<string, string>> = {
  owner: 'LowCardinality(UInt64) materialized organization_id codec(ZSTD(1))',
  month: `LowCardinality(UInt32) materialized ${month} codec(ZSTD(1))`,
  hour: `UInt32 materialized intDiv(at, ${hourLength}) codec(Delta, ZSTD(1))`,
  kind: `UInt8 materialized ${rollupClassSql()} codec(ZSTD(1))`,
};

const visitorOrder = ['device', 'os', 'browser', 'country', 'language'] as const;
const originOrder = [
  'utm_campaign',
  'utm_source',
  'utm_medium',
  'referrer',
  'rule',
  'variant',
  'alias',
  ...visitorOrder,
] as const;
const known: ReadonlySet<HitColumn> = new Set(['link_id', 'organization_id', 'at', 'outcome', 'class']);
/** The columns of hits that projections have; they have all that statistics of an organization ask for. */
const counted = hitColumns.filter((column) => !known.has(column));
export const projectedColumns: ReadonlySet<HitColumn> = new Set(counted);

/**
 * The hits of an organization once more, in orders in which filters by what visitors have, and by where they came from, read little
 * but what they look for. The key of each part begins with its month, so that a month that isn't asked for is left out. A column that
 * is added to hits later needs projections of other names.
 */
const projections: Readonly<Record<string, readonly string[]>> = {
  by_visitor: ['owner', 'month', 'kind', ...visitorOrder, 'hour'],
  by_origin: ['owner', 'month', 'kind', ...originOrder, 'hour'],
};
export const projectionNames = Object.keys(projections);
const projection = ([name, order]: readonly [string, readonly string[]]): string =>
  `projection if not exists ${name} (select ${[...Object.keys(derived), ...counted].join(', ')} order by ${order.join(', ')})`;

/** What was answered as written is on disk, also where the power fails. */
const durable =
  'fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 10000';
/**
 * A projection that a deletion touches is dropped from that part, and made again with the part's next merge or by
 * `makeProjections`: as "rebuild", ClickHouse 26.7 went on to count what was deleted.
 */
const dropsProjections = "lightweight_mutation_projection_mode = 'drop'";

const hitTable = `create table if not exists hits (
    id UInt64 codec(Delta, ZSTD(1)), ${hitColumns.map(definition).join(', ')},
    ${Object.entries(derived)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')},
    index by_id id type minmax granularity 1,
    ${Object.entries(projections)
      .map((named) => projection(named).replace('if not exists ', ''))
      .join(', ')}
  ) engine = MergeTree partition by ${month} order by (organization_id, link_id, at) settings ${durable}, ${dropsProjections}`;

const tables = [
  hitTable,
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
  for (const table of tables) await client.run(table);
  await bringForward(client);
  const ids = () => client.rows<{ id: string }>('select id from hit_store order by id');
  if ((await ids()).length === 0) await client.run(`insert into hit_store values (${quoted(storeId)})`);
  if ((await ids()).some(({ id }) => id !== storeId)) throw new OtherStore();
}

/** The database of this server has the hits of another store. */
export class OtherStore extends Error {
  override readonly name = 'OtherStore';
  override readonly message = 'it has the clicks of another store';
}

/** A table of an earlier version. What rewrites hits is done by the server when it has time, and answers are right meanwhile. */
async function bringForward(client: ClickhouseClient): Promise<void> {
  const rows = await client.rows<{ name: string; type: string }>(
    "select name, type from system.columns where database = currentDatabase() and table = 'hits'",
  );
  const found = new Map(rows.map(({ name, type }) => [name, type]));
  const alter = (change: string) => client.run(`alter table hits ${change}`, undefined, inBackground);
  for (const column of hitColumns) {
    if (!found.has(column)) await alter(`add column if not exists ${definition(column)}`);
    else if (found.get(column) !== storedType(column)) await alter(`modify column ${definition(column)}`);
  }
  for (const [name, type] of Object.entries(derived))
    if (!found.has(name)) await alter(`add column if not exists ${name} ${type}`);
  const [table] = await client.rows<{ sql: string }>(
    "select create_table_query as sql from system.tables where database = currentDatabase() and name = 'hits'",
  );
  if (!table?.sql.includes(dropsProjections)) await alter(`modify setting ${dropsProjections}`);
  for (const named of Object.entries(projections))
    if (!table?.sql.includes(`PROJECTION ${named[0]} `)) await alter(`add ${projection(named)}`);
  await makeProjections(client);
}

/** Of the parts that have none. */
export async function makeProjections(client: ClickhouseClient): Promise<void> {
  const [underway] = await client.rows<{ mutations: number }>(
    `select count() as mutations from system.mutations where database = currentDatabase() and table = 'hits'
     and not is_done and command like '%MATERIALIZE PROJECTION%'`,
  );
  if ((underway?.mutations ?? 0) > 0) return;
  for (const name of projectionNames) {
    const parts = await client.rows<{ month: string }>(
      `select distinct partition_id as month from system.parts
       where database = currentDatabase() and table = 'hits' and active and name not in (
         select parent_name from system.projection_parts
         where database = currentDatabase() and table = 'hits' and active and name = ${quoted(name)})`,
    );
    for (const { month: id } of parts)
      await client.run(
        `alter table hits materialize projection ${name} in partition id ${quoted(id)}`,
        undefined,
        inBackground,
      );
  }
}

const inBackground = { mutations_sync: 0, alter_sync: 0 };

export const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
