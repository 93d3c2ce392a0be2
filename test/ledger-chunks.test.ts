import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { partsFor } from '../src/backup/other-database.ts';
import { readSqlite } from '../src/backup/sqlite-source.ts';
import type { Position } from '../src/journal/files.ts';
import { ChunkLedger } from '../src/ledger/chunk-ledger.ts';
import { HitChunks } from '../src/ledger/hit-chunks.ts';
import type { HitFilter, Ledger, StoredHit } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { PackLedger } from '../src/ledger/pack-ledger.ts';
import { RowLedger } from '../src/ledger/row-ledger.ts';
import { SqliteFoldStore } from '../src/ledger/sqlite-fold-store.ts';
import { classes, type HitColumn, hitColumns, rollupClassOf } from '../src/rules/click-fields.ts';
import { hourLength, hourOf } from '../src/rules/utc-time.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { drawFrom } from './support/draw.ts';
import { temporaryFolder } from './support/program.ts';

const minute = 60_000;
const begin = Date.UTC(2026, 10, 19, 9, 50);
const draw = drawFrom(20261123);
type Told = Omit<StoredHit, 'id'>;

/** Of two organizations with some links each, by the hour that packs may span. Few have a text; one text is very rare. */
const someHits = (count: number, from: number): Told[] =>
  Array.from({ length: count }, () => {
    const organization = 1 + Number(draw(10) < 3);
    const outcome = draw(9) === 0 ? 1 : 0;
    return {
      link_id: 2 * (1 + Math.min(draw(40), draw(40))) + organization - 1,
      organization_id: organization,
      at: from + draw(30 * minute),
      outcome,
      target: outcome === 0 ? 1 : 0,
      class: draw(4) === 0 ? draw(classes.length - 2) : draw(900) === 0 ? classes.length - 1 : 0,
      reason: draw(5),
      device: draw(3),
      source: Number(draw(20) === 0),
      country: 1 + draw(400),
      os: 400,
      browser: 1 + draw(2),
      language: draw(2) * 70_000,
      referrer: draw(3) * draw(2 ** 30) * 8,
      utm_source: draw(700) === 0 ? 5 : 0,
      utm_medium: 0,
      utm_campaign: draw(7),
      utm_term: 0,
      utm_content: 0,
    };
  });

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Database;
let store: SqliteFoldStore;
let ledger: Ledger;
let told: StoredHit[] = [];
let position: Position | null = null;

async function fold(hits: readonly Told[], isByLink: boolean): Promise<void> {
  const sorted = isByLink ? hits.toSorted((one, other) => one.link_id - other.link_id) : hits;
  const columns = hitColumns.map((name) => Float64Array.from(sorted, (hit) => hit[name]));
  const to: Position = { segment: 1, offset: (position?.offset ?? 0) + 1 };
  const none = new Float64Array();
  const counts = {
    visitors: [],
    linkHours: { numbers: none, counts: [] },
    organizationRollups: none,
    linkClicks: none,
  };
  const batch = { journal: 'here/own', from: position, to, isByLink, order: null, ...counts };
  await store.fold({ ...batch, hits: { columns, count: hits.length } }, () => []);
  position = to;
}

/** As packs of version 1 were: with a column of visitors behind the others. */
function makeOfVersion1(one: number): void {
  using sqlite = new Sqlite(join(folder.path, 'linnet.sqlite'));
  for (const { id, cells } of sqlite.query(`select id, cells from hit_packs where id % 3 = ${one}`).all() as {
    id: number;
    cells: Uint8Array;
  }[]) {
    const [widthsEnd, minsEnd] = [24, 24 + hitColumns.length * 8];
    const older = new Uint8Array(cells.length + 8);
    older.set(cells.subarray(0, minsEnd));
    older[0] = 1;
    older[widthsEnd - 4] = 0;
    older.set(cells.subarray(minsEnd), minsEnd + 8);
    sqlite.run('update hit_packs set cells = ? where id = ?', [older, id]);
  }
}

const numberOf = async (table: 'hits' | 'hit_packs' | 'hit_chunks'): Promise<number> =>
  (await database.read.selectFrom(table).select('id').execute()).length;

/** All that can be merged, and what is then deleted at this instant. */
async function merge(now: number): Promise<void> {
  while (await store.mergeSome(now));
}

beforeAll(async () => {
  folder = await temporaryFolder();
  database = await openDatabase(null, folder.path, () => {});
  for (const name of ['one', 'other'])
    await database.write((queries) =>
      queries.insertInto('organizations').values({ name, created_at: 1 }).execute(),
    );
  ledger = openLedger(database);
  store = new SqliteFoldStore(folder.path, 3_000);
  let from = begin;
  const batches = [
    [4_500, true],
    [2_000, false],
    [700, false],
    [5_000, true],
    [4_600, true],
    [1_500, false],
  ] as const;
  for (const [index, [count, isByLink]] of batches.entries()) {
    await fold(someHits(count, from), isByLink);
    if (index === 0) makeOfVersion1(1);
    from += 25 * minute;
  }
  const page = { before: undefined, limit: 100_000, offset: 0 };
  const all = await Promise.all(
    [1, 2].map((id) => ledger.before({ owner: { kind: 'organization', id } }, page)),
  );
  told = all.flatMap(({ hits }) => hits).sort((one, other) => one.id - other.id);
});
afterAll(async () => {
  await store.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

const passes = (hit: StoredHit, { owner, classes: wanted, values = [], from, to }: HitFilter): boolean =>
  hit[`${owner.kind}_id`] === owner.id &&
  (wanted?.includes(rollupClassOf(hit.class, hit.outcome)) ?? true) &&
  values.every(([column, value]) => hit[column] === value) &&
  hit.at >= (from ?? 0) &&
  hit.at < (to ?? Number.POSITIVE_INFINITY);

/** Owners with many hits, with few or none; one filter, two, three or none; whole hours and others. */
function anyFilter(): HitFilter {
  const owner =
    draw(2) === 0
      ? { kind: 'organization' as const, id: 1 + draw(3) }
      : { kind: 'link' as const, id: 2 + draw(40) };
  const sample = told[draw(told.length)] as StoredHit;
  const columns: HitColumn[] = [
    'country',
    'browser',
    'device',
    'utm_source',
    'utm_campaign',
    'referrer',
    'os',
  ];
  const values = Array.from({ length: draw(4) }, () => {
    const column = columns[draw(columns.length)] ?? 'os';
    return [column, draw(8) === 0 ? -1 : sample[column]] as const;
  });
  const hour = () => (hourOf(begin) + draw(4)) * hourLength;
  const from = [undefined, hour(), begin + draw(100) * minute][draw(3)];
  const to = [undefined, hour() + hourLength, begin + draw(200) * minute + 1][draw(3)];
  const wanted = [undefined, [0], [0, 1], [2, 3], [7], [-1], [8]][draw(7)];
  return { owner, values, from, to, classes: wanted };
}

const sumsOf = (counts: readonly { value: number; class: number; hits: number }[]) => {
  const sums = new Map<string, number>();
  for (const { value, class: ofClass, hits } of counts) {
    const key = `${value} ${ofClass}`;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  }
  return [...sums].sort();
};

async function expectSlowCount(asked: Ledger, filter: HitFilter): Promise<void> {
  const hits = told.filter((hit) => passes(hit, filter));
  const counted = hits.map((hit) => ({ hit, class: rollupClassOf(hit.class, hit.outcome), hits: 1 }));
  expect(sumsOf(await asked.count(filter, 'hour'))).toEqual(
    sumsOf(counted.map((count) => ({ ...count, value: hourOf(count.hit.at) }))),
  );
  const by = (['country', 'referrer', 'class', 'utm_campaign', 'link_id'] as const)[draw(5)] ?? 'class';
  const groups = new Map<number, { clicks: number; hits: number }>();
  for (const { hit, class: ofClass } of counted) {
    const value = by === 'class' ? ofClass : hit[by];
    const group = groups.get(value) ?? { clicks: 0, hits: 0 };
    groups.set(value, { clicks: group.clicks + Number(ofClass === 0), hits: group.hits + 1 });
  }
  const all = { all_clicks: counted.filter((one) => one.class === 0).length, all_hits: hits.length };
  const largest = [...groups]
    .map(([value, group]) => ({ value, ...group, ...all }))
    .sort((one, other) => other.hits - one.hits || one.value - other.value)
    .slice(0, 20);
  expect([...(await asked.groups(filter, by, 20))]).toEqual(largest);
  const before = draw(3) === 0 ? undefined : draw(told.length) + 1;
  const newest = hits.filter(({ id }) => id < (before ?? Number.POSITIVE_INFINITY)).reverse();
  const offset = [0, 0, draw(50), draw(5_000)][draw(4)] ?? 0;
  const page = await asked.before(filter, { before, limit: 30, offset });
  expect([...page.hits]).toEqual(newest.slice(offset, offset + 30));
  expect([page.passed, page.stoppedAt]).toEqual([Math.min(offset, newest.length), null]);
  const after = draw(told.length);
  const upTo = after + draw(9_000);
  expect([...(await asked.after(filter, { after, upTo, limit: 40 }))]).toEqual(
    hits.filter(({ id }) => id > after && id <= upTo).slice(0, 40),
  );
}

describe('rows, packs of both versions and chunks', () => {
  const expectAll = async (asked: Ledger, times: number) => {
    for (let time = 0; time < times; time++) await expectSlowCount(asked, anyFilter());
  };

  test('answer as counting every hit does, before there are chunks', async () => {
    expect([await numberOf('hit_chunks'), told.length]).toEqual([0, 18_300]);
    await expectAll(ledger, 60);
  }, 120_000);

  test('while chunks and where they came from are both there', async () => {
    await merge(begin);
    expect(await numberOf('hit_chunks')).toBeGreaterThan(3);
    expect(await numberOf('hit_packs')).toBeGreaterThan(10);
    await expectAll(ledger, 150);
  }, 120_000);

  test('and in rounds of few values', async () => {
    const { compute } = database;
    if (compute === null) throw new Error('no thread for jobs');
    const few = new ChunkLedger(
      new HitChunks(database, compute),
      new PackLedger(database, new RowLedger(database), 40),
      40,
    );
    await expectAll(few, 40);
  }, 120_000);

  test('and when only chunks, later packs and rows are left', async () => {
    const [rows, packs] = [await numberOf('hits'), await numberOf('hit_packs')];
    await merge(begin + 59_999);
    expect([await numberOf('hits'), await numberOf('hit_packs')]).toEqual([rows, packs]);
    await merge(begin + 60_000);
    expect(await numberOf('hits')).toBeLessThan(rows);
    expect(await numberOf('hit_packs')).toBeLessThan(packs);
    await expectAll(ledger, 150);
    expect(await ledger.newestId()).toBe(told.length);
  }, 120_000);

  test('a page ends in time and says where, and the next goes on there', async () => {
    const filter: HitFilter = { owner: { kind: 'organization', id: 1 }, classes: [8] };
    const found: StoredHit[] = [];
    let pages = 0;
    for (let before: number | undefined; ; pages++) {
      const page = await ledger.before(filter, { before, limit: 1_000, offset: 0, until: 0 });
      found.push(...page.hits);
      if (page.stoppedAt === null) break;
      before = page.stoppedAt;
    }
    expect(pages).toBeGreaterThan(1);
    expect(found).toEqual(told.filter((hit) => passes(hit, filter)).reverse());
  });

  test('are rows in a backup that is restored into PostgreSQL, each hit once', async () => {
    await fold(someHits(2_500, begin + 200 * minute), false);
    await merge(begin);
    expect(await numberOf('hits')).toBeGreaterThan(2_500);
    const backup = readSqlite(join(folder.path, 'linnet.sqlite'), new Date());
    const ids: number[] = [];
    let table = '';
    for await (const part of partsFor({ kind: 'postgres' }, backup)) {
      if (part.part === 'table') table = part.name;
      expect(table).not.toContain('chunk');
      if (part.part === 'rows' && table === 'hits')
        ids.push(...(JSON.parse(part.json) as number[][]).map(([id = 0]) => id));
    }
    await backup.close();
    const page = { before: undefined, limit: 100_000, offset: 0 };
    const all = await Promise.all(
      [1, 2].map((id) => ledger.before({ owner: { kind: 'organization', id } }, page)),
    );
    told = all.flatMap(({ hits }) => hits).sort((one, other) => one.id - other.id);
    expect(ids.toSorted((one, other) => one - other)).toEqual(told.map(({ id }) => id));
  });

  test('keep no hit for more than an hour longer than it should be, and none that should is lost', async () => {
    const cut = begin + 90 * minute;
    while (await store.deleteHitsBefore(cut));
    const found: number[] = [];
    for (const id of [1, 2]) {
      const page = await ledger.before(
        { owner: { kind: 'organization', id } },
        { before: undefined, limit: 100_000, offset: 0 },
      );
      expect(Math.min(...page.hits.map((hit) => hit.at))).toBeGreaterThanOrEqual(cut - 60 * minute);
      found.push(...page.hits.map((hit) => hit.id));
    }
    const kept = new Set(found);
    expect(kept.size).toBe(found.length);
    expect(told.filter((hit) => hit.at >= cut && !kept.has(hit.id))).toEqual([]);
    expect(found.length).toBeLessThan(told.length);
    told = told.filter((hit) => kept.has(hit.id));
    for (let time = 0; time < 60; time++) {
      const filter = anyFilter();
      const hits = told.filter((hit) => passes(hit, filter));
      const counts = await ledger.count(filter, 'hour');
      expect(counts.reduce((sum, one) => sum + one.hits, 0)).toBe(hits.length);
    }
    while (await store.deleteHitsBefore(begin * 2));
    for (const table of ['hits', 'hit_packs', 'hit_chunks'] as const) expect(await numberOf(table)).toBe(0);
    const links = await database.read.selectFrom('hit_chunk_links').selectAll().execute();
    const columns = await database.read.selectFrom('hit_chunk_columns').select('key').execute();
    expect([links, columns]).toEqual([[], []]);
  });
});
