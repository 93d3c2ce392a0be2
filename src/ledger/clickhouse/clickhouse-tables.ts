import { type HitColumn, hitColumns, wordFields } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { typeOf } from './hit-block.ts';

const wordColumns: ReadonlySet<string> = new Set(wordFields);
/** Words are ids with few distinct values per part: filters check each value once, and rows store its index in a byte or two. */
const storedType = (column: HitColumn): string =>
  wordColumns.has(column) ? `LowCardinality(${typeOf(column)})` : typeOf(column);

const month = "toYYYYMM(fromUnixTimestamp64Milli(at, 'UTC'))";
/** ClickHouse supports no later years. */
const lastMonth = Date.UTC(2299, 11);

/** The name of the partition of an instant: 202611. */
export function monthNumber(at: number): number {
  const date = new Date(Math.min(Math.max(at, 0), lastMonth));
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Instants are sorted within each link, so that neighbours differ little. */
const definition = (column: HitColumn): string =>
  `${column} ${storedType(column)} codec(${column === 'at' ? 'Delta, ' : ''}ZSTD(1))`;

/** `rollupClassOf` of `rules/click-fields.ts`, in ClickHouse's SQL. */
export const rollupClassSql = (column = 'class'): string =>
  `if(${column} > 0, ${column} + 1, if(outcome = 0, 0, 1))`;

/** Columns for the statistics of an organization, computed at insertion. `owner` is narrower than the table's key may be. */
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
const unprojected: ReadonlySet<HitColumn> = new Set(['link_id', 'organization_id', 'at', 'outcome', 'class']);
/** The columns of hits in projections: all that the statistics of an organization need. */
const projected = hitColumns.filter((column) => !unprojected.has(column));
export const projectedColumns: ReadonlySet<HitColumn> = new Set(projected);

/**
 * A copy of an organization's hits, sorted so that filters by a visitor's properties, or by the origin of a visit, read little
 * more than the matching hits. The month comes first in the key, so that other months are skipped. A column that is added to hits
 * later needs projections with other names.
 */
const sortedBy = (...order: readonly string[]): string =>
  `select ${[...Object.keys(derived), ...projected].join(', ')} order by owner, month, kind, ${order.join(', ')}, hour`;

/** The number of hits in each hour for each combination of these: about a sixth of the rows, for filters that match many hits. */
function hoursBy(...columns: readonly string[]): string {
  const by = ['owner', 'month', 'kind', ...columns, 'hour'].join(', ');
  return `select ${by}, count() group by ${by}`;
}

/** What a projection selects, by its name. */
const projections: Readonly<Record<string, string>> = {
  by_country: sortedBy('country', 'browser', 'os', 'device', 'language'),
  by_origin: sortedBy(...originOrder),
  visitor_hours: hoursBy(...visitorOrder),
  origin_hours: hoursBy('referrer', 'utm_campaign', 'utm_source', 'utm_medium', 'device'),
};
export const projectionNames = Object.keys(projections);
/** Projections of an earlier version. */
const formerProjections = ['by_visitor'];
/** Acknowledged writes are on disk, and survive a power failure. */
const durable =
  'fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 10000';
/**
 * A deletion drops the projection from the parts that it touches. The part's next merge or `materializeProjections` builds it
 * again. With "rebuild", ClickHouse 26.7 still counted deleted hits.
 */
const dropsProjections = "lightweight_mutation_projection_mode = 'drop'";

const tables = [
  // `migrateTable` adds the other columns, and the projections.
  `create table if not exists hits (
    id UInt64 codec(Delta, ZSTD(1)), ${hitColumns.map(definition).join(', ')},
    index by_id id type minmax granularity 1
  ) engine = MergeTree partition by ${month} order by (organization_id, link_id, at) settings ${durable}, ${dropsProjections}`,
  // Which ids the hits of a part of a journal have, and an instant in each month that has some of them.
  `create table if not exists hit_batches (
    journal String, segment UInt64, byte_offset UInt64, first_id UInt64, last_id UInt64, instants Array(Int64),
    folded_at Int64
  ) engine = MergeTree order by (journal, segment, byte_offset) settings ${durable}`,
  // The ids of the hits in a step of a correction.
  `create table if not exists hit_parts (part String, id UInt64)
    engine = MergeTree partition by part order by id settings fsync_after_insert = 1, fsync_part_directory = 1`,
  // The store that these hits belong to.
  'create table if not exists hit_store (id String) engine = MergeTree order by id',
];

/** Without these, hits were lost. */
const tablesWithHits = ['hits', 'hit_batches', 'hit_store'];

/**
 * Creates missing tables, and columns that a newer version has added; several nodes may do so at once. A database has the hits of
 * one store only. With `hadTables` they were created before, and none may be missing.
 */
export async function prepareTables(
  client: ClickhouseClient,
  storeId: string,
  hadTables: boolean,
): Promise<void> {
  const tablesFound = await client.rows<{ name: string }>(
    'select name from system.tables where database = currentDatabase()',
  );
  const names = new Set(tablesFound.map(({ name }) => name));
  const found = (await client.stores()) ?? [];
  if (found.some((id) => id !== storeId)) throw new OtherStore();
  if (hadTables && (found.length === 0 || tablesWithHits.some((name) => !names.has(name))))
    throw new TablesLost();
  for (const table of tables) await client.run(table);
  await migrateTable(client);
  if (found.length === 0) await client.run(`insert into hit_store values (${quoted(storeId)})`);
  // Another store may have done the same meanwhile.
  if ((await client.stores())?.some((id) => id !== storeId)) throw new OtherStore();
}

/** The database on the server has the hits of another store. */
class OtherStore extends Error {
  override readonly name = 'OtherStore';
  override readonly message = 'the database of CLICKS_URL has the clicks of another store';
}

/** This store's tables were created on the server, and are missing now. Until they are back it counts as away: clicks wait. */
export class TablesLost extends StoreUnavailable {
  override readonly name = 'TablesLost';

  constructor() {
    super('the database of CLICKS_URL has lost the individual clicks of this store');
  }
}

/**
 * Completes a new table, and upgrades that of an earlier version. The server rewrites hits in the background, and answers
 * correctly meanwhile.
 */
async function migrateTable(client: ClickhouseClient): Promise<void> {
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
  for (const name of formerProjections)
    if (table?.sql.includes(`PROJECTION ${name} `)) {
      // ClickHouse can't drop a projection while it is being built.
      await stopProjections(client);
      await alter(`drop projection if exists ${name}`);
    }
  for (const [name, selection] of Object.entries(projections))
    if (!table?.sql.includes(`PROJECTION ${name} `))
      await alter(`add projection if not exists ${name} (${selection})`);
  await materializeProjections(client);
}

const beingBuilt =
  "database = currentDatabase() and table = 'hits' and not is_done and command like '%MATERIALIZE PROJECTION%'";

/** Stops building projections. The parts that are already built are kept. */
export const stopProjections = (client: ClickhouseClient): Promise<unknown> =>
  client.run(`kill mutation where ${beingBuilt} sync`);

/** Builds the projections of the parts that have none. */
export async function materializeProjections(client: ClickhouseClient): Promise<void> {
  const [underway] = await client.rows<{ mutations: number }>(
    `select count() as mutations from system.mutations where ${beingBuilt}`,
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
