import { Database as Sqlite } from 'bun:sqlite';
import { join } from 'node:path';
import { SQL } from 'bun';
import { ClickhouseHits } from '../../src/ledger/clickhouse/clickhouse-hits.ts';
import type { FoldStore } from '../../src/ledger/fold-store.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../../src/ledger/stores/postgres-fold-store.ts';
import { SqliteFoldStore } from '../../src/ledger/stores/sqlite-fold-store.ts';
import { clickServerOf } from '../../src/rules/clicks-url.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { clickhousePid, freshClickhouse } from '../../test/support/clickhouse.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import type { Figure } from '../figures.ts';
import { startPostgres } from '../postgres.ts';
import { cpuWithExited } from '../redirect/process-tree.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { bytesInClickhouse, waitForMerges } from './clickhouse-facts.ts';
import { ledgerQueries, organizationId, type QueryTimes, timeQueries } from './hit-questions.ts';
import { foldMonths } from './months-of-hits.ts';

const rounds = 9;
const kinds = ['SQLite', 'PostgreSQL', 'ClickHouse'] as const;
type Kind = (typeof kinds)[number];

interface Measured {
  readonly perSecond: number;
  /** Microseconds a hit. */
  readonly nodeCpu: number;
  readonly databaseCpu: number;
  readonly clickhouseCpu: number;
  /** Bytes of WAL a hit. */
  readonly wal: number;
  /** Bytes on disk of individual hits with their indexes, per hit. */
  readonly bytes: number;
  readonly answers: readonly QueryTimes[];
}

/** Compares the ledgers, each with the same three months of hits. */
export async function measureClickhouse({ folded, isQuick }: Effort): Promise<Report> {
  const hits = Number(process.env.HITS || (isQuick ? folded : 5_000_000));
  const measured: [Kind, Measured][] = [];
  for (const kind of kinds) measured.push([kind, await measure(hits, kind)]);
  const facts: Record<string, (of: Measured) => number> = {
    'bytes a hit': ({ bytes }) => bytes,
    'bytes of WAL a hit': ({ wal }) => wal,
    'CPU µs a hit, node': ({ nodeCpu }) => nodeCpu,
    'CPU µs a hit, PostgreSQL': ({ databaseCpu }) => databaseCpu,
    'CPU µs a hit, ClickHouse': ({ clickhouseCpu }) => clickhouseCpu,
    'hits a second, folded': ({ perSecond }) => perSecond,
  };
  const names = measured[0]?.[1].answers.map(({ name }) => name) ?? [];
  return {
    title: `Individual hits in SQLite, PostgreSQL and ClickHouse, ${formatNumber(hits)} hits`,
    columns: [...kinds, 'ClickHouse itself'],
    rows: [
      ...Object.entries(facts).map(([name, of]) => [
        name,
        ...measured.map(([, one]) => formatNumber(of(one))),
        '',
      ]),
      ...names.map((name, index) => [
        name,
        ...measured.map(([, { answers }]) => textOf(answers[index]?.waited)),
        textOf(measured.at(-1)?.[1].answers[index]?.inServer),
      ]),
    ],
    notes: [
      'Questions to the ledger, in milliseconds: median and range. ClickHouse is the library in a process, or CLICKHOUSE_TEST_URL; the last column is what it says itself that its answers took.',
      'WAL of PostgreSQL, with all that a hit changes there. CPU with the start of the processes that fold a million hits each, and with merges.',
    ],
    figures: { hits, ...Object.fromEntries(measured) },
  };
}

const textOf = (result: Figure | undefined): string =>
  result ? `${formatNumber(result.median)} (${formatRange(result)})` : '';

async function measure(hits: number, kind: Kind): Promise<Measured> {
  using folder = temporaryFolder();
  await using postgres = kind === 'SQLite' ? null : await startPostgres();
  const databaseUrl = postgres?.url ?? '';
  const clicksUrl = kind === 'ClickHouse' ? await freshClickhouse() : '';
  const pid = kind === 'ClickHouse' ? await clickhousePid() : null;
  const cpu = () => ({
    database: postgres === null ? 0 : cpuWithExited(postgres.pid),
    clickhouse: pid === null ? 0 : cpuWithExited(pid),
  });
  const [cpuBefore, walBefore] = [cpu(), await walAt(databaseUrl)];
  const effort = await foldMonths(folder.path, organizationId, hits, databaseUrl, clicksUrl);
  if (clicksUrl !== '') await waitForMerges(clicksUrl);
  else await merge(folder.path, databaseUrl);
  const [cpuAfter, walAfter] = [cpu(), await walAt(databaseUrl)];
  const database = await openDatabase(databaseUrl || null, folder.path, () => {});
  try {
    const server = clickServerOf(clicksUrl);
    const ledger = openLedger(server === null ? database : { ...database, hits: ClickhouseHits.of(server) });
    const counts = await ledger.count({ owner: { kind: 'organization', id: organizationId } }, 'class');
    const counted = counts.reduce((sum, { hits: count }) => sum + count, 0);
    if (counted !== hits) throw new Error(`${counted} of ${hits} hits are there`);
    return {
      perSecond: hits / effort.seconds,
      nodeCpu: (effort.cpu * 1e6) / hits,
      databaseCpu: (cpuAfter.database - cpuBefore.database) / hits,
      clickhouseCpu: (cpuAfter.clickhouse - cpuBefore.clickhouse) / hits,
      wal: (walAfter - walBefore) / hits,
      bytes: (await bytesOf(folder.path, databaseUrl, clicksUrl)) / hits,
      answers: await timeQueries(await ledgerQueries(ledger), rounds),
    };
  } finally {
    await database.close();
  }
}

/** As a node does when it is idle. */
async function merge(dataDir: string, databaseUrl: string): Promise<void> {
  const store: FoldStore =
    databaseUrl === '' ? new SqliteFoldStore(dataDir) : new PostgresFoldStore(databaseUrl);
  while (await store.chunkSome(Date.now()));
  await store.close();
}

async function walAt(url: string): Promise<number> {
  if (url === '') return 0;
  await using sql = new SQL({ url, max: 1 });
  return Number((await sql`select pg_current_wal_lsn() - '0/0' as at`)[0].at);
}

async function bytesOf(dataDir: string, databaseUrl: string, clicksUrl: string): Promise<number> {
  if (clicksUrl !== '') return bytesInClickhouse(clicksUrl);
  if (databaseUrl === '') return bytesInSqlite(join(dataDir, 'linnet.sqlite'));
  await using sql = new SQL({ url: databaseUrl, max: 1 });
  const [row] = await sql`select sum(pg_total_relation_size(oid)) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '^hit(s|_pack|_chunk|_link)'`;
  return Number(row.bytes);
}

/** The number of bytes that deleting the hits would free. */
function bytesInSqlite(file: string): number {
  using database = new Sqlite(file);
  database.run('vacuum');
  const before = sizeOf(database);
  const tables = database
    .query<{ name: string }, []>("select name from sqlite_master where type = 'table' and name like 'hit%'")
    .all();
  database.run('begin');
  for (const { name } of tables) database.run(`delete from "${name}"`);
  const { freelist_count: freed = 0, page_size: page = 0 } = {
    ...database.query<{ freelist_count: number }, []>('pragma freelist_count').get(),
    ...database.query<{ page_size: number }, []>('pragma page_size').get(),
  };
  database.run('rollback');
  return Math.min(before, freed * page);
}

const sizeOf = (database: Sqlite): number =>
  database
    .query<{ bytes: number }, []>(
      'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
    )
    .get()?.bytes ?? 0;
