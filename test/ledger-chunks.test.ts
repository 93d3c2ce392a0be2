import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { withRowsForPacks } from '../src/backup/other-database.ts';
import { readSqlite } from '../src/backup/sqlite-source.ts';
import { ChunkLedger } from '../src/ledger/chunks/chunk-ledger.ts';
import type { HitFilter, Ledger, StoredHit } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { hitColumns } from '../src/rules/click-fields.ts';
import { hourLength, minuteLength } from '../src/rules/durations.ts';
import { type TestLedger, testLedger } from './support/ledger-of.ts';
import { ReferenceLedger, randomHits, randomLinks } from './support/reference-ledger.ts';
import { seededRandom } from './support/seeded-random.ts';

const begin = Date.UTC(2026, 10, 19, 9, 50);
const random = seededRandom(20261123);

let store: TestLedger;
let ledger: Ledger;
let reference: ReferenceLedger;

/** Rewrites packs in the format of version 1: with a column of visitors after the others, and no further parts. */
function convertToVersion1(remainder: number): void {
  using sqlite = new Sqlite(join(store.dataDir, 'linnet.sqlite'));
  for (const { id, cells } of sqlite
    .query(`select id, cells from hit_packs where id % 3 = ${remainder}`)
    .all() as {
    id: number;
    cells: Uint8Array;
  }[]) {
    const [widthsEnd, minsEnd] = [24, 24 + hitColumns.indexOf('rule') * 8];
    const older = new Uint8Array(cells.length + 8);
    older.set(cells.subarray(0, minsEnd));
    older[0] = 1;
    older.fill(0, widthsEnd - 4, widthsEnd);
    older.set(cells.subarray(minsEnd), minsEnd + 8);
    sqlite.run('update hit_packs set cells = ? where id = ?', [older, id]);
  }
}

const countRows = async (table: 'hits' | 'hit_packs' | 'hit_chunks'): Promise<number> =>
  (await store.database.read.selectFrom(table).select('id').execute()).length;

async function foldBatches(): Promise<void> {
  let from = begin;
  const batches = [
    [4_100, 'packs'],
    [2_000, 'rows'],
    [700, 'rows'],
    [4_100, 'packs'],
    [4_100, 'packs'],
    [1_500, 'rows'],
  ] as const;
  for (const [index, [count, shape]] of batches.entries()) {
    await store.append(randomHits(random, count, from), shape);
    if (index === 0 && store.database.kind === 'sqlite') convertToVersion1(1);
    from += 25 * minuteLength;
  }
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  // On PostgreSQL only the reading differs, and a filter costs three times as much.
  const filters = kind === 'sqlite' ? 30 : 14;

  beforeAll(async () => {
    store = await testLedger(kind, randomLinks, 3_000);
    ledger = openLedger(store.database);
    reference = new ReferenceLedger(random, begin);
    await foldBatches();
    await reference.read(ledger);
  });
  afterAll(() => store[Symbol.asyncDispose]());

  test('rows and packs give the same results as counting every hit', async () => {
    expect([await countRows('hits'), reference.hits.length]).toEqual([4_200, 16_500]);
    expect(await countRows('hit_chunks')).toBe(0);
    await reference.expectSameAnswers(ledger, filters / 2);
  }, 120_000);

  test('rows, packs and chunks give the same results while both chunks and their sources exist', async () => {
    await store.merge(begin);
    expect(await countRows('hit_chunks')).toBeGreaterThan(3);
    expect(await countRows('hit_packs')).toBeGreaterThan(10);
    await reference.expectSameAnswers(ledger, filters);
  }, 120_000);

  test('they give the same results in rounds of few values', async () => {
    await reference.expectSameAnswers(new ChunkLedger(store.database, 40), 10);
  }, 120_000);

  test('a page that reaches its time limit has its position, and the next page continues there', async () => {
    const filter: HitFilter = { owner: { kind: 'organization', id: 1 }, classes: [8] };
    const found: StoredHit[] = [];
    let pages = 0;
    for (let before: number | undefined; ; pages++) {
      const page = await ledger.before(filter, { before, limit: 1_000, offset: 0, until: 0 });
      found.push(...page.hits);
      if (page.stoppedAt === null) break;
      before = page.stoppedAt;
    }
    expect(pages).toBeGreaterThan(0);
    expect(found).toEqual(reference.filtered(filter).toReversed());
  });

  if (kind === 'postgres') return;

  test('chunks that a long batch is written as, after one of earlier hits, give the same results', async () => {
    const before = [await countRows('hits'), await countRows('hit_packs'), await countRows('hit_chunks')];
    const newestIdBefore = await ledger.newestId();
    await store.append(randomHits(random, 4_500, begin + 150 * minuteLength), 'packs');
    await store.append(randomHits(random, 9_000, begin + 170 * minuteLength), 'packs');
    await reference.read(ledger);
    const [rows = 0, packs = 0, chunks = 0] = before;
    // The organization with fewer hits has them in packs.
    expect(await countRows('hits')).toBe(rows);
    expect(await countRows('hit_packs')).toBeLessThan(packs + 10);
    expect(await countRows('hit_chunks')).toBe(chunks + 3);
    expect(reference.hits.length).toBe(16_500 + 13_500);
    await reference.expectSameAnswers(ledger, 25);
    const followed: number[] = [];
    for (let id = newestIdBefore; ; ) {
      const next = await ledger.ownersAfter(id, 1_000);
      followed.push(...next.map((hit) => hit.id));
      if (next.length < 1_000) break;
      id = next.at(-1)?.id ?? 0;
    }
    expect(followed).toEqual(reference.hits.map(({ id }) => id).filter((id) => id > newestIdBefore));
    await store.merge(begin);
  }, 120_000);

  test('a long batch is written as chunks even if the earlier hits fill several, and as packs if they fill too many', async () => {
    const appendPacks = async (batches: number) => {
      for (let batch = 0; batch < batches; batch++)
        await store.append(randomHits(random, 3_900, begin + (200 + batch) * minuteLength), 'packs');
    };
    const countsAfterLongBatch = async () => {
      const before = [await countRows('hit_packs'), await countRows('hit_chunks')];
      await store.append(randomHits(random, 9_000, begin + 220 * minuteLength), 'packs');
      const after = [await countRows('hit_packs'), await countRows('hit_chunks')];
      return after.map((count, index) => count - (before[index] ?? 0));
    };
    await appendPacks(3);
    const [newPacks, newChunks] = await countsAfterLongBatch();
    expect(newPacks).toBeLessThan(10);
    expect(newChunks).toBeGreaterThan(3);
    await appendPacks(7);
    const [packsOfAll, noChunks] = await countsAfterLongBatch();
    expect(packsOfAll).toBeGreaterThan(15);
    expect(noChunks).toBe(0);
    await reference.read(ledger);
    await reference.expectSameAnswers(ledger, 25);
    await store.merge(begin);
  }, 120_000);

  test('chunks with only later packs and rows give the same results', async () => {
    const [rows, packs] = [await countRows('hits'), await countRows('hit_packs')];
    await store.merge(begin + 59_999);
    expect([await countRows('hits'), await countRows('hit_packs')]).toEqual([rows, packs]);
    await store.merge(begin + 60_000);
    expect(await countRows('hits')).toBeLessThan(rows);
    expect(await countRows('hit_packs')).toBeLessThan(packs);
    await reference.expectSameAnswers(ledger, 30);
    expect(await ledger.newestId()).toBe(reference.hits.length);
  }, 120_000);

  test('chunks are rows in a backup that is restored into PostgreSQL, each hit once', async () => {
    await store.append(randomHits(random, 2_500, begin + 200 * minuteLength), 'rows');
    await store.merge(begin);
    expect(await countRows('hits')).toBe(2_500);
    const backup = readSqlite(join(store.dataDir, 'linnet.sqlite'), new Date());
    const ids: number[] = [];
    let table = '';
    for await (const part of withRowsForPacks(backup.parts)) {
      if (part.part === 'table') table = part.name;
      expect(table).not.toContain('chunk');
      if (part.part === 'rows' && table === 'hits')
        ids.push(...(JSON.parse(part.json) as number[][]).map(([id = 0]) => id));
    }
    await backup.close();
    await reference.read(ledger);
    expect(ids.toSorted((one, other) => one - other)).toEqual(reference.hits.map(({ id }) => id));
  });

  test('chunks keep no hit for more than an hour after it expires, and lose none before', async () => {
    const cutoff = begin + 90 * minuteLength;
    while (await store.store.deleteHitsBefore(cutoff));
    const found: number[] = [];
    for (const id of [1, 2]) {
      const page = await ledger.before(
        { owner: { kind: 'organization', id } },
        { before: undefined, limit: 100_000, offset: 0 },
      );
      expect(Math.min(...page.hits.map((hit) => hit.at))).toBeGreaterThanOrEqual(cutoff - hourLength);
      found.push(...page.hits.map((hit) => hit.id));
    }
    const kept = new Set(found);
    expect(kept.size).toBe(found.length);
    expect(reference.hits.filter((hit) => hit.at >= cutoff && !kept.has(hit.id))).toEqual([]);
    expect(found.length).toBeLessThan(reference.hits.length);
    reference.hits = reference.hits.filter((hit) => kept.has(hit.id));
    for (let time = 0; time < 30; time++) {
      const filter = reference.randomFilter();
      const hits = reference.filtered(filter);
      const counts = await ledger.count(filter, 'hour');
      expect(counts.reduce((sum, count) => sum + count.hits, 0)).toBe(hits.length);
    }
    while (await store.store.deleteHitsBefore(begin * 2));
    for (const table of ['hits', 'hit_packs', 'hit_chunks'] as const) expect(await countRows(table)).toBe(0);
    const links = await store.database.read.selectFrom('hit_chunk_links').selectAll().execute();
    const columns = await store.database.read.selectFrom('hit_chunk_columns').select('key').execute();
    expect([links, columns]).toEqual([[], []]);
  });
});
