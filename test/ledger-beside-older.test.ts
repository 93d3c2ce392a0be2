import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { Owner } from '../src/ledger/ledger.ts';
import { openCounts } from '../src/ledger/open-counts.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { dimensionCodes, rollupClassCodes, rollupClasses } from '../src/rules/click-fields.ts';
import { hourOf } from '../src/rules/utc-time.ts';
import type { Database } from '../src/storage/database.ts';
import { requireMigration } from '../src/storage/min-migration.ts';
import { newestFormat } from '../src/storage/newer-formats.ts';
import { openDatabase } from '../src/storage/open.ts';
import { minMigrationKey } from '../src/storage/setting-keys.ts';
import { BatchFolder, type NewHit, zeroColumns } from './support/batch-folder.ts';
import { emptyBatch } from './support/empty-batch.ts';
import { migratedPostgres } from './support/migrated-store.ts';

/** The last migration that the previous release knows. */
const previousMigration = 62;
const at = Date.UTC(2026, 11, 3, 12);
const hitsPerChunk = 200;
const linkCount = 30;
const ofLink = (id: number): Owner => ({ kind: 'link', id, organizationId: 1 });

const hits = (count: number): NewHit[] =>
  Array.from({ length: count }, (_, index) => ({
    ...zeroColumns,
    at: at + index,
    link_id: 1 + ((index * 7) % linkCount),
    organization_id: 1,
    country: index % 5,
    class: index % 50 === 0 ? 2 : 0,
  }));

let url: string;
let database: Database;
let sql: SQL;
let store: PostgresFoldStore;
beforeAll(async () => {
  url = await migratedPostgres();
  database = await openDatabase(url, '', () => {});
  sql = new SQL({ url, max: 1 });
  await sql`insert into organizations (id, name, created_at) values (1, '', 1)`;
  store = new PostgresFoldStore(url, hitsPerChunk);
});
afterAll(async () => {
  await store.close();
  await sql.end();
  await database.close();
});

async function foldAndMerge(journal: string, count: number): Promise<void> {
  await new BatchFolder(store, journal).fold(hits(count), true);
  while (await store.chunkSome(at));
}

/** Two clicks and one bot hit of each link, in the same hour. */
async function addHours(journal: string): Promise<void> {
  const classes = rollupClasses.map((name) => ({ click: 2, bot: 1 })[name as string] ?? 0);
  const row = (link: number) => [link, hourOf(at), ...classes];
  await store.fold(
    {
      ...emptyBatch(journal),
      linkHours: {
        numbers: Float64Array.from(Array.from({ length: linkCount }, (_, index) => row(index + 1)).flat()),
        counts: Array<string>(linkCount).fill('d3'),
      },
    },
    () => [],
  );
}

/** The counts of a link, by class. */
async function countedHours(link: number) {
  const slice = {
    kind: 'rollups',
    dimension: dimensionCodes.total,
    value: undefined,
    classes: undefined,
  } as const;
  const counts = await openCounts(database, ofLink(link), slice).byBucket([
    { from: hourOf(at), to: hourOf(at) + 1 },
  ]);
  return Object.fromEntries(counts.map((count) => [count.class, count.hits]));
}

const hoursWithNulls =
  'link_hours where num_nulls(page, preview, bot, prefetch, head, repeat, flood, loose) > 0';
const countOf = async (table: string): Promise<number> =>
  Number((await sql.unsafe(`select count(*) as count from ${table}`))[0].count);

/** The number of hits that are found for each link, in chunks, packs and rows. */
async function hitsByLink(): Promise<number[]> {
  const ledger = openLedger(database);
  const page = { before: undefined, limit: 10_000, offset: 0 };
  const lists = Array.from({ length: linkCount }, (_, index) =>
    ledger.before({ owner: ofLink(index + 1) }, page),
  );
  return (await Promise.all(lists)).map(({ hits: found }) => found.length);
}

const countByLink = (expectedHits: readonly NewHit[]): number[] =>
  Array.from(
    { length: linkCount },
    (_, index) => expectedHits.filter(({ link_id }) => link_id === index + 1).length,
  );

test('with the previous release running, packs, chunks and hours are written in its format', async () => {
  await sql`update settings set value = ${String(previousMigration)} where key = ${minMigrationKey}`;
  await foldAndMerge('here/one', 500);
  await addHours('here/hours');
  expect(await countOf('hit_chunks')).toBeGreaterThan(0);
  // The queries with which the previous release finds a link's packs, and the rows of its chunks.
  const packed = await sql`select count(distinct link_id)::int as links from hit_pack_links`;
  const chunked = await sql`select sum(end_row - first_row)::int as hits,
    (select sum(hits)::int from hit_chunks) as of_chunks from hit_chunk_links`;
  expect(packed[0].links).toBe(linkCount);
  expect(chunked[0].hits).toBe(chunked[0].of_chunks);
  expect(await countOf('hit_link_groups')).toBe(0);
  expect(await countOf(hoursWithNulls)).toBe(0);
  expect(await hitsByLink()).toEqual(countByLink(hits(500)));
});

test('without the previous release packs and chunks get no row per link, and both formats are read', async () => {
  const earlier = [await countOf('hit_pack_links'), await countOf('hit_chunk_links')];
  await requireMigration(database, newestFormat);
  await foldAndMerge('here/two', 500);
  await addHours('here/later');
  expect([await countOf('hit_pack_links'), await countOf('hit_chunk_links')]).toEqual(earlier);
  expect(await countOf('hit_link_groups')).toBeGreaterThan(0);
  expect(await hitsByLink()).toEqual(countByLink([...hits(500), ...hits(500)]));
  expect(await countedHours(1)).toEqual({ [rollupClassCodes.click]: 4, [rollupClassCodes.bot]: 2 });
});

test('without the previous release a new hour has nulls for classes without hits, and more hits can be added', async () => {
  await sql`delete from link_hours`;
  await addHours('here/first');
  expect(await countOf(hoursWithNulls)).toBe(linkCount);
  await addHours('here/second');
  expect(await countedHours(1)).toEqual({ [rollupClassCodes.click]: 4, [rollupClassCodes.bot]: 2 });
  const [row] = await sql`select page, loose::int, counts from link_hours where link_id = 1`;
  expect(row).toEqual({ page: null, loose: 2, counts: 'd3d3' });
});
