import { StoreUnavailable } from '../../rules/errors.ts';
import { monthBegin, monthOf } from '../../rules/utc-time.ts';
import type { Connection, Query } from './sql-fold-store.ts';

/**
 * Tables of PostgreSQL with a partition for each UTC month, and the key of a row in a partition. It isn't a key of the whole table:
 * that would have to include the instant.
 */
const tables = {
  hits: 'id',
  hit_packs: 'id',
  hit_pack_links: 'link_id, pack_id',
  hit_chunks: 'id',
  hit_chunk_links: 'link_id, chunk_id',
  hit_link_groups: 'chunk_id, last_link',
} as const;
type Table = keyof typeof tables;

/** A connection to the store. */
export type { Connection } from './sql-fold-store.ts';

const tableNames = Object.keys(tables) as Table[];

/**
 * All instants before the first month share one partition, and all after the last month another: only a wrong clock produces such
 * hits.
 */
const firstMonth = monthOf(Date.UTC(2020, 0));
const endMonth = monthOf(Date.UTC(2100, 0));

interface Period {
  readonly name: string;
  /** Instants; null for no bound. */
  readonly from: number | null;
  readonly to: number | null;
}

export interface Partition extends Period {
  readonly table: Table;
  /** `pending`: a drop was interrupted while detaching; `detached`: it was interrupted right after that. */
  readonly state: 'attached' | 'pending' | 'detached';
}

/** The rows from before there were partitions (migration 25). */
export const earlierRows = 'hits_before';

const ownName = new RegExp(`^(${tableNames.join('|')})_(before|far_past|far_future|\\d{4}_\\d{2})$`);

/** Whether a table has the name of a partition. */
export const isPartition = (table: string): boolean => ownName.test(table);

/** With the table's id, `pg_get_expr` would lock the table: it would wait behind a drop that waits for a reader. */
const partitionsSql = `select part.relname as name, parent.relname as parent, inhdetachpending as pending,
    pg_get_expr(part.relpartbound, 0) as bounds
  from pg_class as part
  left join pg_inherits on inhrelid = part.oid left join pg_class as parent on parent.oid = inhparent
  where part.relkind = 'r' and part.relnamespace = (select relnamespace from pg_class where oid = 'hits'::regclass)
    and (inhparent in (${tableNames.map((name) => `'${name}'::regclass`).join(', ')})
      or inhparent is null and part.relname ~ '${ownName.source.replaceAll('\\d', '[0-9]')}')`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** How often creation is tried while another node creates the same partitions. */
const maxTries = 5;

/**
 * The months of the ledger on PostgreSQL: created when hits need them, dropped when all of the month is older than the retention.
 */
export class Partitions {
  readonly #connection: Connection;
  /** Names of periods that exist in every table. */
  readonly #covered = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Creates a partition for each of these instants, and one for the following month: it exists before it is needed. */
  async cover(instants: Iterable<number>): Promise<void> {
    for (const at of instants) {
      const period = periodOf(at);
      if (this.#covered.has(period.name)) continue;
      await this.#create(period.to === null ? [period] : [period, periodOf(period.to)]);
      this.#covered.add(period.name);
    }
  }

  /** Call this when a partition is missing: another node has dropped it. */
  forget(): void {
    this.#covered.clear();
  }

  /**
   * Partitions with nothing but hits before an instant; first the remains of interrupted drops, because no partition of their
   * table can be detached before.
   */
  async expired(at: number): Promise<readonly Partition[]> {
    const all = await readPartitions(this.#connection.query);
    const isInterrupted = ({ state }: Partition) => Number(state !== 'attached');
    return all
      .filter(({ to, state }) => state === 'pending' || (to !== null && to <= at))
      .sort((one, other) => isInterrupted(other) - isInterrupted(one));
  }

  /** Whether there is a partition with rows from before there were partitions. */
  async hasEarlierRows(): Promise<boolean> {
    const [row] = await this.#connection.query(
      `select to_regclass('${earlierRows}') is not null as is_there`,
    );
    return row?.is_there === true;
  }

  async #create(periods: readonly Period[]): Promise<void> {
    const { query } = this.#connection;
    for (let tries = 1; ; tries++) {
      const all = await readPartitions(query);
      const missing = tableNames.flatMap((table) =>
        periods
          .filter((period) => !isCovered(period, table, all))
          .map((period) => ({ table, ...period, name: `${table}_${period.name}` })),
      );
      if (missing.length === 0) return;
      const existing = all.filter(({ name }) => missing.some((one) => one.name === name));
      try {
        await dropPartitions(
          query,
          existing.filter(({ state }) => state === 'pending'),
        );
        await this.#connection.transaction(async (inTransaction) => {
          await inTransaction(`set local lock_timeout = '2s'`);
          for (const one of missing) {
            const exists = existing.some(({ name, state }) => name === one.name && state === 'detached');
            await attach(inTransaction, one, exists);
          }
        });
      } catch (cause) {
        // Another node may just have created them; the next attempt shows it.
        if (cause instanceof StoreUnavailable) throw cause;
        if (tries === maxTries) throw new StoreUnavailable((cause as Error).message, { cause });
        await Bun.sleep(20 * tries);
      }
    }
  }
}

/** A month, or all time before the first or after the last one. */
export function periodOf(at: number): Period {
  const month = monthOf(at);
  if (month < firstMonth) return { name: 'far_past', from: null, to: monthBegin(firstMonth) };
  // Instants beyond the range of dates.
  if (!(month < endMonth)) return { name: 'far_future', from: monthBegin(endMonth), to: null };
  const from = monthBegin(month);
  const name = new Date(from).toISOString().slice(0, 7).replace('-', '_');
  return { name, from, to: monthBegin(month + 1) };
}

/** Waits only for other readers of the dropped partitions. The next call continues an interrupted drop. */
export async function dropPartitions(query: Query, partitions: readonly Partition[]): Promise<void> {
  for (const { table, name, state } of partitions) {
    if (state === 'attached')
      await query(`alter table ${table} detach partition ${quoted(name)} concurrently`);
    if (state === 'pending') await query(`alter table ${table} detach partition ${quoted(name)} finalize`);
    await query(`drop table if exists ${quoted(name)}`);
  }
}

/** Blocks no reader or writer of other partitions. */
async function attach(
  query: Query,
  { table, name, from, to }: Period & { readonly table: Table },
  exists: boolean,
): Promise<void> {
  if (!exists) {
    await query(`create table ${name} (like ${table} including defaults including storage)`);
    await query(`alter table ${name} add primary key (${tables[table]})`);
  }
  await query(
    `alter table ${table} attach partition ${name} for values from (${from ?? 'minvalue'}) to (${to ?? 'maxvalue'})`,
  );
}

async function readPartitions(query: Query): Promise<Partition[]> {
  const rows = await query(partitionsSql);
  return rows.map((row): Partition => {
    const name = String(row.name);
    if (row.parent === null) {
      const [, table, period = ''] = ownName.exec(name) ?? [];
      return { table: table as Table, name, ...periodNamed(period), state: 'detached' };
    }
    const [, from, to] = /FROM \('?(.+?)'?\) TO \('?(.+?)'?\)/.exec(String(row.bounds)) ?? [];
    return {
      table: row.parent as Table,
      name,
      from: boundOf(from),
      to: boundOf(to),
      state: row.pending === true ? 'pending' : 'attached',
    };
  });
}

const boundOf = (text: string | undefined): number | null =>
  text === undefined || /^M(IN|AX)VALUE$/.test(text) ? null : Number(text);

/** The earlier rows end with the month of their migration, which is unknown by now: they are older than the retention. */
function periodNamed(name: string): Pick<Period, 'from' | 'to'> {
  if (name === 'before') return { from: null, to: 0 };
  const [year = 0, month = 1] = name.split('_').map(Number);
  const at = { far_past: 0, far_future: monthBegin(endMonth) }[name] ?? Date.UTC(year, month - 1);
  const { from, to } = periodOf(at);
  return { from, to };
}

function isCovered({ from, to }: Period, table: Table, partitions: readonly Partition[]): boolean {
  const [first, end] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
  return partitions.some(
    (one) =>
      one.table === table &&
      one.state === 'attached' &&
      (one.from ?? Number.NEGATIVE_INFINITY) <= first &&
      end <= (one.to ?? Number.POSITIVE_INFINITY),
  );
}
