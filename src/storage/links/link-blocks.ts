import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import { jsonRows } from '../json-rows.ts';
import { countRows, sumOf } from '../rows.ts';
import type { Queries } from '../schema.ts';

/** Ids per block: at most this many index entries are skipped for a page. */
const blockSize = 4096;
const blocksAtOnce = 32;
/**
 * Ids are handed out before their transactions commit: this many of the newest are never counted, so that none appears in a counted
 * block afterwards. SQLite has one writer: ids become visible in their order there.
 */
const unsettled: Record<Database['kind'], number> = { sqlite: 0, postgres: 64 * blockSize };

/** Where a page begins: after the first `offset` links, in the page's order, of those with ids from `from` on and below `below`. */
export interface Start {
  readonly below?: number | undefined;
  readonly from?: number | undefined;
  readonly offset: number;
}

/** A start for a page of an organization's links by id that has fewer links to skip. */
export async function closerStart(
  queries: Queries,
  organizationId: number,
  before: number | undefined,
  offset: number,
  order: 'asc' | 'desc',
): Promise<Start> {
  const marked = await countedTo(queries, organizationId);
  if (marked === 0) return { below: before, offset };
  if (order === 'asc') {
    const found = await blockAt(queries, organizationId, marked / blockSize, offset, 'asc');
    const block = found?.block ?? marked / blockSize;
    const skipped = found?.passed ?? (await blocksTotal(queries, organizationId, block));
    return { below: before, from: block * blockSize, offset: offset - skipped };
  }
  const block = Math.floor(Math.min(before ?? marked, marked) / blockSize);
  const head = await countBetween(queries, organizationId, block * blockSize, before);
  if (head > offset) return { below: before, offset };
  const found = await blockAt(queries, organizationId, block, offset - head, 'desc');
  return found
    ? { below: (found.block + 1) * blockSize, offset: offset - head - found.passed }
    : { below: 0, offset: 0 };
}

/**
 * The block, among those below one, that contains the link after `offset` others; and how many links are skipped before it.
 */
async function blockAt(
  queries: Queries,
  organizationId: number,
  below: number,
  offset: number,
  order: 'asc' | 'desc',
): Promise<{ readonly block: number; readonly passed: number } | undefined> {
  const direction = sql.raw(order);
  const { rows } = await sql<{ block: number; links: number; total: number }>`
    select block, links, total from (
      select block, links, sum(links) over (order by block ${direction}) as total
      from link_blocks where organization_id = ${organizationId} and block < ${below}
    ) as counted
    where total > ${offset} order by block ${direction} limit 1`.execute(queries);
  const [row] = rows;
  return row && { block: row.block, passed: row.total - row.links };
}

const blocksTotal = (queries: Queries, organizationId: number, below: number): Promise<number> =>
  sumOf(
    queries
      .selectFrom('link_blocks')
      .where('organization_id', '=', organizationId)
      .where('block', '<', below),
    'links',
  );

function countBetween(
  queries: Queries,
  organizationId: number,
  from: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const links = queries.selectFrom('links').where('organization_id', '=', organizationId);
  return countRows(links.where('id', '>=', from).where('id', '<', before));
}

async function countedTo(queries: Queries, organizationId: number): Promise<number> {
  const row = await queries
    .selectFrom('link_block_marks')
    .select('counted_to')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row?.counted_to ?? 0;
}

/** Keeps the counts of blocks correct when links are deleted (`each` is -1) or restored (1). New links are above the mark. */
export async function correctBlocks(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
  each: 1 | -1,
): Promise<void> {
  const byBlock = Map.groupBy(ids, (id) => Math.floor(id / blockSize));
  const rows = [...byBlock].map(([block, some]) => [block, each * some.length] as const);
  rows.sort(([one], [other]) => one - other);
  await addToBlocks(queries, organizationId, rows, 'link_blocks.links + excluded.links');
}

async function addToBlocks(
  queries: Queries,
  organizationId: number,
  rows: readonly (readonly [number, number])[],
  links: string,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into link_blocks (organization_id, block, links)
    select cast(${organizationId} as bigint), block, links
    from ${jsonRows(dialectOf(queries), { block: 'integer', links: 'integer' }, JSON.stringify(rows))} as sent where true order by block
    on conflict (organization_id, block) do update set links = ${sql.raw(links)}`.execute(queries);
}

/** Counts some blocks that aren't counted yet. Any node may do it at any time. */
export async function countBlocks(database: Database, organizationId: number): Promise<void> {
  while (await database.write((queries) => countSome(queries, database.kind, organizationId)));
}

async function countSome(queries: Queries, kind: Database['kind'], organizationId: number): Promise<boolean> {
  const mark = await queries
    .insertInto('link_block_marks')
    .values({ organization_id: organizationId, counted_to: 0 })
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet({ counted_to: sql<number>`link_block_marks.counted_to` }),
    )
    .returning('counted_to')
    .executeTakeFirstOrThrow();
  const newest = await queries
    .selectFrom('links')
    .select((of) => of.fn.max('id').as('id'))
    .executeTakeFirst();
  const first = mark.counted_to / blockSize;
  const settled = Math.floor(((newest?.id ?? 0) + 1 - unsettled[kind]) / blockSize);
  const end = Math.min(settled, first + blocksAtOnce);
  if (end <= first) return false;
  // The rows are locked first: the count then includes a deletion that is under way, and a later deletion waits for the count.
  const blocks = Array.from({ length: end - first }, (_, index) => [first + index, 0] as const);
  await addToBlocks(queries, organizationId, blocks, 'link_blocks.links');
  const { rows } = await sql<{ block: number; links: number }>`
    select id / ${sql.lit(blockSize)} as block, count(*) as links from links
    where organization_id = ${organizationId} and id >= ${first * blockSize} and id < ${end * blockSize}
    group by id / ${sql.lit(blockSize)}`.execute(queries);
  const counts = new Map(rows.map(({ block, links }) => [block, links]));
  await addToBlocks(
    queries,
    organizationId,
    blocks.map(([block]) => [block, counts.get(block) ?? 0] as const),
    'excluded.links',
  );
  await queries
    .updateTable('link_block_marks')
    .set({ counted_to: end * blockSize })
    .where('organization_id', '=', organizationId)
    .execute();
  return end < settled;
}
