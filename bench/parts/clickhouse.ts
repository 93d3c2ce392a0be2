import { SQL } from 'bun';
import { ClickhouseHits } from '../../src/ledger/clickhouse/clickhouse-hits.ts';
import type { HitFilter } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../../src/ledger/postgres-fold-store.ts';
import { clickServerOf } from '../../src/rules/clicks-url.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { askClickhouse, freshClickhouse } from '../../test/support/clickhouse.ts';
import type { Effort } from '../effort.ts';
import { type Figure, figure } from '../figures.ts';
import { temporaryFolder } from '../leftovers.ts';
import { startPostgres } from '../postgres.ts';
import { number, type Report, range } from '../table.ts';
import { busyLink, foldMonths } from './asking-store.ts';

const organizationId = 1;
const rounds = 9;
const hour = 3_600_000;

interface Measured {
  readonly perSecond: number;
  /** Of single hits, with their indexes. */
  readonly bytes: number;
  readonly times: Readonly<Record<string, Figure>>;
}

/** The same three months of hits in PostgreSQL, and in ClickHouse beside it. */
export async function measureClickhouse({ folded, isQuick }: Effort): Promise<Report> {
  const hits = Number(process.env.HITS || (isQuick ? folded : 5_000_000));
  const [postgres, clickhouse] = [await measure(hits, false), await measure(hits, true)];
  const facts: Record<string, (of: Measured) => number> = {
    'hits a second, folded': ({ perSecond }) => perSecond,
    'bytes a hit': ({ bytes }) => bytes,
  };
  const names = Object.keys(postgres.times);
  return {
    title: `Single hits in PostgreSQL and in ClickHouse, ${number(hits)} hits`,
    columns: ['', 'PostgreSQL', 'ClickHouse'],
    rows: [
      ...Object.entries(facts).map(([name, of]) => [name, number(of(postgres)), number(of(clickhouse))]),
      ...names.map((name) => [name, told(postgres.times[name]), told(clickhouse.times[name])]),
    ],
    notes: [
      'Questions to the ledger, in milliseconds: median and range. ClickHouse is the library in a process, or CLICKHOUSE_TEST_URL.',
    ],
    figures: { hits, postgres, clickhouse },
  };
}

const told = (of: Figure | undefined): string => (of ? `${number(of.median)} (${range(of)})` : '');

async function measure(hits: number, isElsewhere: boolean): Promise<Measured> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  const clicksUrl = isElsewhere ? await freshClickhouse() : '';
  const begun = performance.now();
  const owner = { organizationId } as Parameters<typeof foldMonths>[0]['owner'];
  await foldMonths({ dataDir: folder.path, owner }, hits, postgres.url, clicksUrl);
  const perSecond = (hits * 1_000) / (performance.now() - begun);
  const opened = await openDatabase(postgres.url, '', () => {});
  try {
    const server = clickServerOf(clicksUrl);
    if (server === null) await merge(postgres.url);
    const database = server === null ? opened : { ...opened, hits: ClickhouseHits.of(server) };
    return {
      perSecond,
      bytes: (server === null ? await bytesIn(postgres.url) : await bytesInClickhouse(clicksUrl)) / hits,
      times: await timesOf(database, hits),
    };
  } finally {
    await opened.close();
  }
}

async function merge(url: string): Promise<void> {
  const store = new PostgresFoldStore(url);
  while (await store.mergeSome(Date.now()));
  await store.close();
}

async function bytesIn(url: string): Promise<number> {
  await using sql = new SQL({ url, max: 1 });
  const [row] = await sql`select sum(pg_total_relation_size(oid)) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '^hit(s|_pack|_chunk)'`;
  return Number(row.bytes);
}

async function bytesInClickhouse(url: string): Promise<number> {
  const sql = `select sum(bytes_on_disk) from system.parts
    where database = currentDatabase() and active and table like 'hit%' format TabSeparated`;
  return Number((await askClickhouse(url, sql)).replaceAll('"', ''));
}

async function timesOf(database: Database, hits: number): Promise<Record<string, Figure>> {
  const ledger = openLedger(database);
  const all: HitFilter = { owner: { kind: 'organization', id: organizationId } };
  const newest = await ledger.before(all, { before: undefined, limit: 100, offset: 0 });
  const [sample] = newest.hits.filter((hit) => hit.class === 0 && hit.country !== 0 && hit.referrer !== 0);
  if (sample === undefined) throw new Error('no hit is a person of a country');
  const counted = (await ledger.count(all, 'class')).reduce((sum, { hits: some }) => sum + some, 0);
  if (counted !== hits) throw new Error(`${counted} of ${hits} hits are there`);
  const starts = Array.from({ length: 92 }, (_, day) => Math.floor(sample.at / hour) - (91 - day) * 24);
  const two: HitFilter = {
    ...all,
    classes: [0],
    values: [
      ['country', sample.country],
      ['browser', sample.browser],
    ],
  };
  const ofLink = { ...two, owner: { kind: 'link', id: busyLink, organizationId } } as const;
  const page = { before: undefined, limit: 51, offset: 0 };
  return {
    'two filters, days and referrers': await timed(() => ledger.countAndGroups(two, starts, 'referrer', 100)),
    'the same of the busiest link': await timed(() => ledger.countAndGroups(ofLink, starts, 'referrer', 100)),
    'one filter, by the day': await timed(() =>
      ledger.count({ ...all, values: [['country', sample.country]] }, 'hour', starts),
    ),
    'all clicks by their referrers': await timed(() =>
      ledger.groups({ ...all, classes: [0] }, 'referrer', 100),
    ),
    'the newest 50': await timed(() => ledger.before(all, page)),
    'the newest 50 of two filters': await timed(() => ledger.before(two, page)),
  };
}

async function timed(ask: () => Promise<unknown>): Promise<Figure> {
  await ask();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  }
  return figure(times);
}
