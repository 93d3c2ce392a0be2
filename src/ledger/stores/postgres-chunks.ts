import { hitColumns } from '../../rules/click-fields.ts';
import { idsOf } from '../../storage/rows.ts';
import { minMigrationKey } from '../../storage/setting-keys.ts';
import { valueIn, valuesOf } from '../chunks/chunk-column.ts';
import { chunkOf, type NewChunk } from '../chunks/hit-chunk.ts';
import { groupsOf } from '../chunks/link-groups.ts';
import { compressCells } from '../chunks/stored-cells.ts';
import { StoredColumns } from '../chunks/stored-columns.ts';
import type { PackRow } from '../packs/hit-pack.ts';
import { oldestHits, packsAtOnce } from './oldest-hits.ts';
import { type Partitions, periodOf } from './partitions.ts';
import { insertRows } from './postgres-rows.ts';
import type { Connection, Query, Row } from './sql-fold-store.ts';

/** Versions that have this migration read the groups. */
const linksInGroupsSince = 65;
/** SQLSTATE: no partition for a row. */
const noPartition = '23514';

/** Organizations with enough hits after their last chunk; at most this many hits are checked for each. */
const candidatesSql = `select organizations.id from organizations
  left join lateral (select last_id from hit_chunks where hit_chunks.organization_id = organizations.id order by id desc limit 1)
    as merged on true
  where organizations.deleted_at is null and (
    (select coalesce(sum(hits), 0) from (
      select hits from hit_packs where hit_packs.organization_id = organizations.id and hit_packs.id > coalesce(last_id, 0)
      limit $1) as packed)
    + (select count(*) from (
      select from hits where hits.organization_id = organizations.id and hits.id > coalesce(last_id, 0)
      limit $1) as single)) >= $1
  order by organizations.id`;
/** Only one process at a time makes chunks of an organization, and none does during a correction of its hits. */
const lockSql = `select coalesce((select value from settings where key = '${minMigrationKey}')::bigint, 0) as least
  from organizations where id = $1 and deleted_at is null
  and not exists (select from click_corrections where organization_id = $1 and finished_at is null)
  for no key update skip locked`;
const rowsSql = `select ${['id', ...hitColumns].map((name) => `array_agg(${name})::text as ${name}`).join(', ')}
  from (select id, ${hitColumns.join(', ')} from hits
    where organization_id = $1 and id > $2 and id <= $3 order by id limit $4) as oldest`;
const packsSql = `select id, hits, cells from hit_packs
  where organization_id = $1 and id > $2 and id <= $3 order by id limit $4`;

/**
 * Makes chunks from the oldest rows and packs of organizations with many hits. Rows and packs stay: retention drops them with
 * their month, and the chunks with theirs.
 */
export class PostgresChunks {
  readonly #connection: Connection;
  readonly #partitions: Partitions;
  readonly #minHits: number;
  #organizations: number[] | null = null;
  /** All hits with ids up to this one are visible. */
  #settled = 0;

  constructor(connection: Connection, partitions: Partitions, minHits: number) {
    this.#connection = connection;
    this.#partitions = partitions;
    this.#minHits = minHits;
  }

  /** Makes the chunks of one merge. Returns whether there may be more to do. */
  async chunkSome(now: number): Promise<boolean> {
    if (this.#organizations === null) {
      const found = await this.#connection.query<{ id: number }>(candidatesSql, [this.#minHits]);
      this.#organizations = idsOf(found);
      if (found.length > 0 && !(await this.#settle())) this.#organizations = [];
    }
    for (let id = this.#organizations.at(-1); id !== undefined; id = this.#organizations.at(-1)) {
      if (await this.#makeChunks(id, now)) return true;
      this.#organizations.pop();
    }
    this.#organizations = null;
    return false;
  }

  /**
   * Checks whether all transactions have ended that may insert hits with ids drawn by now; later transactions get higher ids.
   * Returns false if some are still running.
   */
  async #settle(): Promise<boolean> {
    const { query } = this.#connection;
    const [raised] = await query('update hit_ids set settled = newest returning settled');
    const [next] = await query('select pg_snapshot_xmax(pg_current_snapshot())::text as xid');
    const [oldest] = await query(
      'select pg_snapshot_xmin(pg_current_snapshot())::text::numeric >= $1::text::numeric as is_over',
      [next?.xid],
    );
    if (oldest?.is_over === true) this.#settled = Number(raised?.settled);
    return oldest?.is_over === true;
  }

  async #makeChunks(organizationId: number, now: number): Promise<boolean> {
    const months = new Map<string, number>();
    const work = () =>
      this.#connection.transaction((query) => this.#mergeIn(query, organizationId, now, months));
    try {
      return await work();
    } catch (cause) {
      if ((cause as { code?: string }).code !== noPartition) throw cause;
      this.#partitions.forget();
      await this.#partitions.cover(months.values());
      return work();
    }
  }

  async #mergeIn(
    query: Query,
    organizationId: number,
    now: number,
    months: Map<string, number>,
  ): Promise<boolean> {
    const [locked] = await query(lockSql, [organizationId]);
    if (locked === undefined) return false;
    const hasOlderNodes = Number(locked.least) < linksInGroupsSince;
    const [last] = await query(
      'select last_id from hit_chunks where organization_id = $1 order by id desc limit 1',
      [organizationId],
    );
    const hits = await this.#oldest(query, organizationId, Number(last?.last_id ?? 0));
    if (hits.count < this.#minHits) return false;
    const [first = 0, end = 0] = [hits.ids[0], hits.ids[hits.count - 1]];
    for (const [name, part] of byMonth(hits)) {
      months.set(name, valueIn(part.column('at'), 0));
      const chunk = chunkOf(part);
      const id = part.ids[0] ?? 0;
      await insertChunk(query, chunk, { id, first_id: first, last_id: end, made_at: now });
      if (hasOlderNodes) await insertLinks(query, chunk, id);
      else await insertGroups(query, chunk, id);
    }
    return true;
  }

  /** The hits with the lowest ids, sorted by id; whole packs only. */
  async #oldest(query: Query, organizationId: number, after: number): Promise<StoredColumns> {
    const [found] = await query(rowsSql, [organizationId, after, this.#settled, this.#minHits]);
    const [ids = [], ...columns] = ['id', ...hitColumns].map((name) => numbersIn(found, name));
    const rows = ids.map((id, row) => [id, ...columns.map((column) => column[row] ?? 0)]);
    const oldest = oldestHits(rows, after, this.#minHits);
    let step = oldest.next();
    while (!step.done) {
      const bounds = [organizationId, step.value, this.#settled, packsAtOnce];
      step = oldest.next(await query<PackRow>(packsSql, bounds));
    }
    return step.value;
  }
}

/** Arrays come as text: `{1,2,3}`. */
const numbersIn = (row: Row | undefined, name: string): readonly number[] => {
  const text = row?.[name];
  return typeof text === 'string' ? (JSON.parse(`[${text.slice(1, -1)}]`) as number[]) : [];
};

/** Hits by the names of their months: chunks are dropped with their month. */
function byMonth(hits: StoredColumns): ReadonlyMap<string, StoredColumns> {
  const instants = valuesOf(hits.column('at'), hits.count);
  const rows = new Map<string, number[]>();
  for (let row = 0; row < hits.count; row++) {
    rows.getOrInsertComputed(periodOf(instants[row] ?? 0).name, () => []).push(row);
  }
  if (rows.size === 1) return new Map([...rows.keys()].map((name) => [name, hits]));
  const columns = hitColumns.map((name) => hits.column(name));
  return new Map(
    Array.from(rows, ([name, some]) => {
      const part = new StoredColumns(some.length);
      for (const row of some)
        part.addRow(
          hits.ids[row] ?? 0,
          columns.map((column) => valueIn(column, row)),
        );
      return [name, part];
    }),
  );
}

/** All chunks of a merge have its whole range of ids: which of them has a hit depends on its month. */
async function insertChunk(
  query: Query,
  { facts, columns, tallies }: NewChunk,
  own: Readonly<Record<'id' | 'first_id' | 'last_id' | 'made_at', number>>,
): Promise<void> {
  const cells = [
    ...columns.map((one) => [`c_${one.column}`, one.cells] as const),
    ...tallies.map((one) => [`t_${one.column}`, one.cells] as const),
  ];
  const values = { ...facts, ...own };
  const names = [...Object.keys(values), ...cells.map(([name]) => name)];
  await query(
    `insert into hit_chunks (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    [...Object.values(values), ...cells.map(([, bytes]) => compressCells(bytes))],
  );
}

function insertGroups(query: Query, { facts, links }: NewChunk, id: number): Promise<void> {
  const groups = groupsOf(links);
  return insertRows(
    query,
    'hit_link_groups (chunk_id, last_link, first_at, links)',
    groups.map(({ lastLink }) => [id, lastLink, facts.first_at]),
    groups.map(({ cells }) => cells),
  );
}

/** For nodes of the previous release. */
function insertLinks(query: Query, { facts, links }: NewChunk, id: number): Promise<void> {
  return insertRows(
    query,
    'hit_chunk_links (link_id, chunk_id, first_row, end_row, first_at)',
    links.map(({ link, first, end }) => [link, id, first, end, facts.first_at]),
  );
}
