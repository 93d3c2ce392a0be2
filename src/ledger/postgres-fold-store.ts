import pg from 'pg';
import { hitColumns } from '../rules/click-fields.ts';
import { StoreAway } from '../rules/errors.ts';
import { connectTimeout } from '../storage/drivers/connect-timeout.ts';
import type { Column, DayVisitors, FoldBatch, Hits, NewVisitors } from './fold-store.ts';
import { postgresSaltBoard } from './salts/postgres-salt-board.ts';
import type { SaltBoard } from './salts/shared-salts.ts';
import {
  type Cells,
  deletedAtOnce,
  deleteOldHits,
  type Insertion,
  type Query,
  SqlFoldStore,
  type TidiedHour,
  type Total,
  totals,
} from './sql-fold-store.ts';

const maxHits = 32_768;

/** In PostgreSQL's text form of arrays: one statement takes an array for each column, and so all rows at once. */
const arrayText = (numbers: Column | readonly number[]): string => `{${numbers.join(',')}}`;

function hitArrays({ columns, count }: Hits): string[] {
  return columns.map((column) => arrayText(column.subarray(0, count)));
}

/** Counts are letters and digits: only an empty one needs quotes. */
const textsArray = (texts: readonly string[]): string => `{${texts.map((text) => text || '""').join(',')}}`;

const isText = (cells: Cells): cells is readonly string[] => Array.isArray(cells);

/** A row for each element of the parameters, which are arrays of these types. */
const unnested = (types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`;
const bigints = (width: number): string => unnested(Array<string>(width).fill('bigint'));

const hitsSql = `insert into hits (${hitColumns.join(', ')}) select * from ${bigints(hitColumns.length)}`;
const hitsWithIdsSql = `insert into hits (id, ${hitColumns.join(', ')}) select * from ${bigints(1 + hitColumns.length)}`;
const nextHitIdsSql = `select nextval(pg_get_serial_sequence('hits', 'id')) as id from generate_series(1, $1)`;
const visitorsSql = `with fresh as (
    insert into daily_visitors (day, owner, visitor) select * from ${bigints(3)} on conflict do nothing returning day, owner
  ) select day, owner, count(*) as count from fresh group by day, owner order by day, owner`;
const countsSql = `update link_hours set counts = tidy.counts, loose = 0
  from unnest($1::bigint[], $2::bigint[], $3::text[]) as tidy (link_id, hour, counts)
  where link_hours.link_id = tidy.link_id and link_hours.hour = tidy.hour`;

/** One connection, opened when it is needed and closed at the first fault, after which its state is unknown. */
export class PostgresFoldStore extends SqlFoldStore {
  protected override readonly linkIsListed =
    'links.id in (select item::bigint from json_array_elements_text($1) as item)';
  /** Rows that another node is adding to are left to that node. */
  protected override readonly forUpdate = 'order by link_id, hour for update skip locked';
  readonly #url: string;
  #client: pg.Client | null = null;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  /** Where nodes agree on the salts of visitors. */
  get saltBoard(): SaltBoard {
    return postgresSaltBoard(this.query);
  }

  async wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sorted = [...words].sort();
    await this.query('insert into words (word) select * from unnest($1::text[]) on conflict do nothing', [
      sorted,
    ]);
    const rows = await this.query('select id, word from words where word = any($1::text[])', [sorted]);
    return new Map(rows.map((row) => [String(row.word), Number(row.id)]));
  }

  /** In PostgreSQL other writers wait only for rows that both change. */
  batchLength(): number {
    return maxHits;
  }

  async deleteHitsBefore(at: number): Promise<boolean> {
    const rows = await this.query(deleteOldHits, [at]);
    return rows.length >= deletedAtOnce;
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  /**
   * Where webhooks need the ids of hits, they are fetched first: `returning` promises no order. Without webhooks the ids
   * are empty.
   */
  protected override async appendHits(
    query: Query,
    { hits }: FoldBatch,
    needsIds: boolean,
  ): Promise<() => Float64Array> {
    if (!needsIds) {
      await query(hitsSql, hitArrays(hits));
      return () => new Float64Array();
    }
    const rows = await query(nextHitIdsSql, [hits.count]);
    const ids = Float64Array.from(rows, (row) => Number(row.id)).sort();
    await query(hitsWithIdsSql, [arrayText(ids), ...hitArrays(hits)]);
    return () => ids;
  }

  protected override async insertVisitors(
    query: Query,
    groups: readonly DayVisitors[],
  ): Promise<readonly NewVisitors[]> {
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
    return rows.map(({ day, owner, count }) => ({
      day: Number(day),
      owner: Number(owner),
      count: Number(count),
    }));
  }

  protected override async add(
    query: Query,
    total: Total,
    columns: readonly Cells[],
    count: number,
  ): Promise<void> {
    if (count === 0) return;
    const { head, constants = '', tail }: Insertion = totals[total];
    const rows = unnested(columns.map((cells) => (isText(cells) ? 'text' : 'bigint')));
    const arrays = columns.map((cells) => (isText(cells) ? textsArray(cells) : arrayText(cells)));
    await query(`${head} select *${constants} from ${rows} ${tail}`, arrays);
  }

  protected override async setCounts(query: Query, hours: readonly TidiedHour[]): Promise<void> {
    await query(countsSql, [
      arrayText(hours.map(({ link }) => link)),
      arrayText(hours.map(({ hour }) => hour)),
      textsArray(hours.map(({ counts }) => counts)),
    ]);
  }

  protected override readonly query: Query = async (sql, parameters) =>
    this.#over(await this.#connected())(sql, parameters);

  /** Everything goes through one connection: on a second one, half of it would be outside of the transaction. */
  protected override async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const query = this.#over(await this.#connected());
    await query('begin');
    try {
      const result = await work(query);
      await query('commit');
      return result;
    } catch (cause) {
      if (!(cause instanceof StoreAway)) await query('rollback').catch(() => {});
      throw cause;
    }
  }

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
