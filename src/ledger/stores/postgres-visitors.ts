import { dayOfHour } from '../../rules/utc-time.ts';
import { minMigrationKey } from '../../storage/setting-keys.ts';
import { FloatList } from '../../structures/float-list.ts';
import type { HourVisitors, NewVisitors } from '../fold-store.ts';
import { VisitorRun } from '../visitors/visitor-runs.ts';
import { VisitorsOfDay } from '../visitors/visitors-of-day.ts';
import { columnsOf } from './postgres-rows.ts';
import { type Query, unnested } from './sql-fold-store.ts';

/** The migration since which all versions use runs. */
const runsSince = 62;
/** The maximum of a day: up to 128 MB of memory. */
export const maxInRuns = 25_000_000;
/** Days in memory: the current one, and the previous one after midnight. */
const daysKept = 2;
const runsAtOnce = 16;
/** After this many batches, the small runs of a day are merged. */
const mergedEvery = 256;
const smallRun = 8_192;

const lockSql =
  'update visitor_days set newest = newest + 1 where day = $1 returning newest, edition, is_by_row';
/** A day that has rows keeps using them, as does one that begins while versions without runs may be running. */
const beginSql = `insert into visitor_days as one (day, newest, edition, is_by_row)
  select $1, 1, (extract(epoch from clock_timestamp()) * 1000)::bigint, exists (select from daily_visitors where day = $1)
    or coalesce((select value from settings where key = '${minMigrationKey}')::bigint, 0) < ${runsSince}
  on conflict (day) do update set newest = one.newest + 1 returning newest, edition, is_by_row`;
const runsSql = `select id, visitors from visitor_runs where day = $1 and id > $2 order by id limit ${runsAtOnce}`;
/** A node that has read the last of them has read all; any other reads the merged run. */
const mergeSql = `with small as (
    delete from visitor_runs where day = $1 and octet_length(visitors) < ${smallRun} returning id, visitors
  ) insert into visitor_runs (day, id, visitors)
    select $1, max(id), string_agg(visitors, '' order by id) from small having count(*) > 0`;
/** If a visitor has several hours on a day, the first one counts. */
const rowsSql = `with given as (
    select owner, visitor, min(hour) as hour, min(variant) as variant
    from ${unnested(Array<string>(4).fill('bigint'))} as given (hour, owner, visitor, variant) group by 1, 2
  ), fresh as (
    insert into daily_visitors (day, owner, visitor) select $5, owner, visitor from given order by owner, visitor
    on conflict do nothing returning owner, visitor
  ) select hour, owner, variant, count(*) as count from fresh join given using (owner, visitor) group by 1, 2, 3`;

/**
 * Counts the visitors of a day, each once across all nodes. Each batch adds a run of the visitors that no run contains yet, and
 * each node has all runs of the day in memory; it reads the runs that others added while the day's row is locked. Above `max`
 * visitors, the others of the day are rows of daily_visitors.
 */
export class PostgresVisitors {
  readonly #query: Query;
  readonly #max: number;
  readonly #days = new Map<number, VisitorsOfDay>();
  readonly #run = new VisitorRun();
  readonly #fresh = new FloatList();
  /** By day, for the open transaction. */
  readonly #locked = new Map<number, number>();

  /** `query` runs outside a transaction. */
  constructor(query: Query, max = maxInRuns) {
    this.#query = query;
    this.#max = max;
  }

  /** Before a transaction: reads a whole day's runs while nothing waits for them. */
  async begin(groups: readonly HourVisitors[]): Promise<void> {
    this.#locked.clear();
    const days = new Set(groups.map(({ hour }) => dayOfHour(hour)));
    for (const day of [...this.#days.keys()].sort((one, other) => one - other))
      if (this.#days.size > daysKept && !days.has(day)) this.#days.delete(day);
    for (const day of days) {
      const known = this.#dayOf(day);
      known.begin();
      if (known.newest === 0) await this.#load(day, known);
    }
  }

  /** Locks days in ascending order, on every node. */
  async insert(query: Query, groups: readonly HourVisitors[]): Promise<readonly NewVisitors[]> {
    const found: NewVisitors[] = [];
    for (const [day, ofDay] of Map.groupBy(groups, ({ hour }) => dayOfHour(hour)))
      found.push(...(await this.#insertDay(query, day, ofDay)));
    return found;
  }

  commit(): void {
    for (const [day, newest] of this.#locked) {
      const known = this.#dayOf(day);
      known.commit();
      known.newest = newest;
    }
    this.#locked.clear();
  }

  /** Within a transaction. Waits for transactions that are still counting visitors of that day. */
  async deleteBefore(query: Query, day: number): Promise<void> {
    await query('delete from visitor_days where day < $1', [day]);
    await query('delete from visitor_runs where day < $1', [day]);
    for (const one of this.#days.keys()) if (one < day) this.#days.delete(one);
  }

  async #insertDay(
    query: Query,
    day: number,
    groups: readonly HourVisitors[],
  ): Promise<readonly NewVisitors[]> {
    const { newest, edition, isByRow } = await lock(query, day);
    const known = this.#dayOf(day);
    // Visitors were erased and are new again; or the database has gone back in time.
    if (known.edition !== edition || known.newest >= newest) known.forget();
    known.edition = edition;
    if (known.newest < newest - 1) await readRuns(query, day, known);
    known.newest = newest - 1;
    this.#locked.set(day, newest);
    const given = groups.reduce((sum, { visitors }) => sum + visitors.length, 0);
    if (isByRow || known.size + given > this.#max) {
      if (!isByRow) await query('update visitor_days set is_by_row = true where day = $1', [day]);
      return insertByRow(query, day, known, groups);
    }
    this.#run.begin();
    const found = groups.map(({ hour, owner, variant, visitors }) => {
      known.keepFresh(owner, visitors, this.#fresh);
      this.#run.add(owner, this.#fresh);
      return { hour, owner, variant, count: this.#fresh.length };
    });
    const bytes = this.#run.finish();
    if (bytes !== null)
      await query('insert into visitor_runs (day, id, visitors) values ($1, $2, $3)', [day, newest, bytes]);
    if (newest % mergedEvery === 0) await query(mergeSql, [day]);
    return found;
  }

  async #load(day: number, known: VisitorsOfDay): Promise<void> {
    const [row] = await this.#query('select edition from visitor_days where day = $1', [day]);
    if (row === undefined) return;
    known.edition = Number(row.edition);
    await readRuns(this.#query, day, known);
  }

  #dayOf(day: number): VisitorsOfDay {
    return this.#days.getOrInsertComputed(day, () => new VisitorsOfDay());
  }
}

async function lock(query: Query, day: number) {
  const [locked] = await query(lockSql, [day]);
  const [row] = locked === undefined ? await query(beginSql, [day]) : [locked];
  return { newest: Number(row?.newest), edition: Number(row?.edition), isByRow: row?.is_by_row === true };
}

/** Reads the runs that others have added. */
async function readRuns(query: Query, day: number, known: VisitorsOfDay): Promise<void> {
  for (;;) {
    const runs = await query<{ id: number; visitors: Buffer }>(runsSql, [day, known.newest]);
    for (const { id, visitors } of runs) {
      known.takeRun(visitors);
      known.newest = id;
    }
    if (runs.length < runsAtOnce) return;
  }
}

async function insertByRow(
  query: Query,
  day: number,
  known: VisitorsOfDay,
  groups: readonly HourVisitors[],
): Promise<readonly NewVisitors[]> {
  const given = groups.flatMap(({ hour, owner, variant, visitors }) =>
    Array.from(visitors)
      .filter((visitor) => !known.has(owner, visitor))
      .map((visitor) => [hour, owner, visitor, variant]),
  );
  if (given.length === 0) return [];
  return query(rowsSql, [...columnsOf(given), day]);
}
