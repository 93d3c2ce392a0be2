import pg from 'pg';
import { hitColumns, rollupClasses } from '../rules/click-fields.ts';
import { StoreAway } from '../rules/errors.ts';
import { connectTimeout } from '../storage/drivers/connect-timeout.ts';
import {
  byId,
  type Column,
  clickedLinks,
  type DayVisitors,
  type DeliveriesOf,
  type Delivery,
  deletedAtOnce,
  type FoldBatch,
  type FoldStore,
  type Hits,
  type HookedLink,
  JournalTaken,
  type LinkHours,
  linkClickColumns,
  linkHourColumns,
  linksWithHooks,
  looseHours,
  type NewVisitors,
  noVisitor,
  placeVisitors,
  rollupColumns,
  type Watermark,
} from './fold-store.ts';
import { hitIdOf } from './hit-ids.ts';
import { tidyCounts } from './hour-counts.ts';

const maxHits = 32_768;

type Query = (sql: string, parameters?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

const whole = (row: Record<string, unknown>, name: string): number => Number(row[name]);

/** In PostgreSQL's text form of arrays: one statement takes an array for each column, and so all rows at once. */
const arrayText = (numbers: Column | readonly number[]): string => `{${numbers.join(',')}}`;

function ledgerArrays({ columns, count }: Hits): string[] {
  return columns.map((column, index) => {
    const text = arrayText(column.subarray(0, count));
    return index === visitorColumn ? text.replaceAll(String(noVisitor), 'null') : text;
  });
}

function arraysOf(rows: Float64Array, width: number): string[] {
  return Array.from({ length: width }, (_, column) => {
    const cells = new Float64Array(rows.length / width);
    for (let row = 0; row < cells.length; row++) cells[row] = rows[row * width + column] ?? 0;
    return arrayText(cells);
  });
}

const visitorColumn = hitColumns.indexOf('visitor');

const unnested = (width: number): string =>
  `select * from unnest(${Array.from({ length: width }, (_, index) => `$${index + 1}::bigint[]`).join(', ')})`;

const hitsSql = `insert into hits (${hitColumns.join(', ')}) ${unnested(hitColumns.length)}`;
const hitsWithIdsSql = `insert into hits (id, ${hitColumns.join(', ')}) ${unnested(1 + hitColumns.length)}`;
const nextHitIdsSql = `select nextval(pg_get_serial_sequence('hits', 'id')) as id from generate_series(1, $1)`;
const visitorsSql = `with fresh as (
    insert into daily_visitors (day, owner, visitor) ${unnested(3)} on conflict do nothing returning day, owner
  ) select day, owner, count(*) as count from fresh group by day, owner order by day, owner`;
const linkClicksSql = `insert into link_clicks (link_id, clicks, last_clicked_at) ${unnested(linkClickColumns)}
  on conflict (link_id) do update set clicks = link_clicks.clicks + excluded.clicks,
    last_clicked_at = greatest(link_clicks.last_clicked_at, excluded.last_clicked_at)`;
const organizationRollupsSql = `insert into organization_rollups (organization_id, dimension, hour, class, value, hits)
  ${unnested(rollupColumns)} on conflict (organization_id, dimension, hour, class, value)
  do update set hits = organization_rollups.hits + excluded.hits`;

/** Its last two parameters are visitors and counts. */
const linkHourWidth = linkHourColumns.length + 2;
const summed = [...rollupClasses, 'visitors'].map(
  (name) => `${name} = link_hours.${name} + excluded.${name}`,
);
const linkHoursSql = `insert into link_hours (${linkHourColumns.join(', ')}, visitors, counts, loose)
  select *, 0 from unnest(${Array.from(
    { length: linkHourWidth },
    (_, index) => `$${index + 1}::${index + 1 < linkHourWidth ? 'bigint' : 'text'}[]`,
  ).join(', ')})
  on conflict (link_id, hour) do update set ${summed.join(', ')}, counts = link_hours.counts || excluded.counts,
    loose = link_hours.loose + length(excluded.counts)`;
/** Rows that another node is adding to are left to that node. */
const looseSql = `${looseHours} order by link_id, hour for update skip locked`;
const tidySql = `update link_hours set counts = tidy.counts, loose = 0
  from unnest($1::bigint[], $2::bigint[], $3::text[]) as tidy (link_id, hour, counts)
  where link_hours.link_id = tidy.link_id and link_hours.hour = tidy.hour`;

/** One connection, opened when it is needed and closed at the first fault, after which its state is unknown. */
export class PostgresFoldStore implements FoldStore {
  readonly #url: string;
  #client: pg.Client | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async watermark(journal: string): Promise<Watermark | null> {
    const sql = 'select segment, byte_offset from journal_watermarks where node = $1';
    const [row] = await this.#query(sql, [journal]);
    return row ? { segment: whole(row, 'segment'), offset: whole(row, 'byte_offset') } : null;
  }

  async forgetWatermark(journal: string): Promise<void> {
    await this.#query('delete from journal_watermarks where node = $1', [journal]);
  }

  async wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sorted = [...words].sort();
    await this.#query('insert into words (word) select * from unnest($1::text[]) on conflict do nothing', [
      sorted,
    ]);
    const rows = await this.#query('select id, word from words where word = any($1::text[])', [sorted]);
    return new Map(rows.map((row) => [String(row.word), whole(row, 'id')]));
  }

  /** In PostgreSQL other writers wait only for rows that both change. */
  batchLength(): number {
    return maxHits;
  }

  /** Everything goes through one connection: on a second one, half of it would be outside of the transaction. */
  async fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    const query = this.#over(await this.#connected());
    await query('begin');
    try {
      await moveWatermark(query, batch);
      const links = await hookedLinks(query, batch);
      const ids = await insertHits(query, batch.hits, links.size > 0);
      const visitors = await insertVisitors(query, batch.visitors);
      const { ofLinkHours, organizations } = placeVisitors(batch.linkHours, visitors);
      // Locks are taken in the order of the keys, on every node: two that fold at once wait, and don't deadlock.
      await addLinkHours(query, batch.linkHours, ofLinkHours);
      await tidyLinkHours(query);
      await insert(query, organizationRollupsSql, batch.organizationRollups, rollupColumns);
      await insert(query, organizationRollupsSql, organizations, rollupColumns);
      await insert(query, linkClicksSql, batch.linkClicks, linkClickColumns);
      await insertDeliveries(
        query,
        deliveriesOf(
          links,
          hitIdOf(batch, () => ids),
        ),
      );
      await query('commit');
    } catch (cause) {
      if (!(cause instanceof StoreAway)) await query('rollback').catch(() => {});
      throw cause;
    }
  }

  async verifiedHosts(): Promise<readonly string[]> {
    const rows = await this.#query('select host from domains where verified_at is not null');
    return rows.map((row) => String(row.host));
  }

  async settleSalt(day: number, fresh: Uint8Array): Promise<Uint8Array> {
    const text = Buffer.from(fresh).toString('base64');
    await this.#query('insert into daily_salts (day, salt) values ($1, $2) on conflict do nothing', [
      day,
      text,
    ]);
    const [row] = await this.#query('select salt from daily_salts where day = $1', [day]);
    return Buffer.from(String(row?.salt), 'base64');
  }

  async deleteSaltsBefore(day: number): Promise<void> {
    await this.#query('delete from daily_salts where day < $1', [day]);
  }

  async deleteVisitorsBefore(day: number): Promise<boolean> {
    const rows = await this.#query(
      `delete from daily_visitors where (day, owner, visitor) in
       (select day, owner, visitor from daily_visitors where day < $1 limit ${deletedAtOnce}) returning day`,
      [day],
    );
    return rows.length >= deletedAtOnce;
  }

  async deleteHitsBefore(at: number): Promise<boolean> {
    const rows = await this.#query(
      `delete from hits where id in (select id from hits order by id limit ${deletedAtOnce}) and at < $1 returning id`,
      [at],
    );
    return rows.length >= deletedAtOnce;
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  readonly #query: Query = async (sql, parameters) => this.#over(await this.#connected())(sql, parameters);

  #over(client: pg.Client): Query {
    return async (sql, parameters = []) => {
      try {
        return (await client.query(sql, [...parameters])).rows;
      } catch (cause) {
        const fault = faultOf(cause);
        if (fault instanceof StoreAway) this.#giveUp(client);
        throw fault;
      }
    };
  }

  async #connected(): Promise<pg.Client> {
    try {
      this.#client ??= await this.#connect();
      return this.#client;
    } catch (cause) {
      throw faultOf(cause);
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'linnet fold',
      connectionTimeoutMillis: connectTimeout(this.#url),
      query_timeout: 20_000,
      statement_timeout: 19_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = null;
    });
    await client.connect();
    return client;
  }

  #giveUp(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    client.end().catch(() => {});
  }
}

/** Deadlocks and serialization failures (40) ask for another try as well: the whole batch, from its beginning. */
function faultOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreAway) return cause;
  const code = (cause as { code?: string }).code ?? '';
  const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
  return !isSqlState || /^(08|40|53|57)/.test(code) ? new StoreAway(cause.message, { cause }) : cause;
}

async function moveWatermark(query: Query, { journal, from, to }: FoldBatch): Promise<void> {
  const moved =
    from === null
      ? await query(
          'insert into journal_watermarks (node, segment, byte_offset) values ($1, $2, $3) on conflict do nothing returning node',
          [journal, to.segment, to.offset],
        )
      : await query(
          'update journal_watermarks set segment = $1, byte_offset = $2 where node = $3 and segment = $4 and byte_offset = $5 returning node',
          [to.segment, to.offset, journal, from.segment, from.offset],
        );
  if (moved.length !== 1) throw new JournalTaken(journal);
}

/**
 * Where webhooks need the ids of hits, they are fetched first: `returning` promises no order. Without webhooks the ids are
 * empty.
 */
async function insertHits(query: Query, hits: Hits, withIds: boolean): Promise<Float64Array> {
  if (!withIds) {
    await query(hitsSql, ledgerArrays(hits));
    return new Float64Array();
  }
  const rows = await query(nextHitIdsSql, [hits.count]);
  const ids = Float64Array.from(rows, (row) => whole(row, 'id')).sort();
  await query(hitsWithIdsSql, [arrayText(ids), ...ledgerArrays(hits)]);
  return ids;
}

async function insert(query: Query, sql: string, rows: Float64Array, width: number): Promise<void> {
  if (rows.length > 0) await query(sql, arraysOf(rows, width));
}

/** Counts are letters and digits: only an empty one needs quotes. */
const textsArray = (texts: readonly string[]): string => `{${texts.map((text) => text || '""').join(',')}}`;

async function addLinkHours(query: Query, hours: LinkHours, visitors: Float64Array): Promise<void> {
  if (hours.counts.length === 0) return;
  const numbers = arraysOf(hours.numbers, linkHourColumns.length);
  await query(linkHoursSql, [...numbers, arrayText(visitors), textsArray(hours.counts)]);
}

/** Sorts counts that were appended to again and again. */
async function tidyLinkHours(query: Query): Promise<void> {
  const rows = await query(looseSql);
  if (rows.length === 0) return;
  await query(tidySql, [
    arrayText(rows.map((row) => whole(row, 'link_id'))),
    arrayText(rows.map((row) => whole(row, 'hour'))),
    textsArray(rows.map((row) => tidyCounts(String(row.counts)))),
  ]);
}

async function insertVisitors(query: Query, groups: readonly DayVisitors[]): Promise<NewVisitors[]> {
  if (groups.length === 0) return [];
  const [days, owners, visitors]: [number[], number[], number[]] = [[], [], []];
  for (const group of groups) {
    for (const visitor of group.visitors) {
      days.push(group.day);
      owners.push(group.owner);
      visitors.push(visitor);
    }
  }
  const rows = await query(visitorsSql, [days, owners, visitors].map(arrayText));
  return rows.map((row) => ({
    day: whole(row, 'day'),
    owner: whole(row, 'owner'),
    count: whole(row, 'count'),
  }));
}

async function hookedLinks(query: Query, batch: FoldBatch) {
  const links = clickedLinks(batch);
  if (links.length === 0) return byId([]);
  const rows = await query(linksWithHooks('links.id = any($1::bigint[])'), [links]);
  return byId(
    rows.map((row) => ({
      ...(row as unknown as HookedLink),
      id: whole(row, 'id'),
      organization_id: whole(row, 'organization_id'),
    })),
  );
}

async function insertDeliveries(query: Query, deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const columns = Object.keys(delivery);
    const parameters = columns.map((_, index) => `$${index + 1}`).join(', ');
    await query(
      `insert into webhook_deliveries (${columns.join(', ')}) values (${parameters})`,
      Object.values(delivery),
    );
  }
}
