import { ClickhouseHits } from '../../src/ledger/clickhouse/clickhouse-hits.ts';
import { projectionNames } from '../../src/ledger/clickhouse/clickhouse-tables.ts';
import { hitColumns } from '../../src/rules/click-fields.ts';
import { clickServerOf } from '../../src/rules/clicks-url.ts';
import { dayLength } from '../../src/rules/durations.ts';
import { freshClickhouse, queryClickhouse } from '../../test/support/clickhouse.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { startPostgres } from '../postgres.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { bytesInClickhouse, bytesInProjections, waitForMerges } from './clickhouse-facts.ts';
import { ledgerQueries, organizationId, timeQueries } from './hit-questions.ts';
import { busyLink, days, foldMonths, links } from './months-of-hits.ts';

/** Milliseconds, for statistics with two filters. */
const promised = 300;
const rounds = 9;
const foldedHits = 1_000_000;
/** Copies of the folded hits per insertion, which ClickHouse sorts in memory. */
const copiesAtOnce = 5;

/** Statistics over very many hits in ClickHouse: some of them are folded, and ClickHouse copies those. */
export async function measureClickhouseMany({ folded, isQuick }: Effort): Promise<Report> {
  const hits = Number(process.env.HITS || (isQuick ? 10 * folded : 100_000_000));
  const foldedCount = Math.min(isQuick ? folded : foldedHits, hits);
  const url = process.env.CLICKS_URL || (await fillDatabase(foldedCount, Math.round(hits / foldedCount)));
  await waitForMerges(url);
  const { ledger } = ClickhouseHits.of(serverAt(url));
  const total = numberOf(await queryClickhouse(url, 'select count() from hits format TabSeparated'));
  const answers = await timeQueries(await ledgerQueries(ledger), rounds);
  const verdict = (slowest: number) =>
    slowest <= promised ? `within ${promised} ms` : `OVER ${promised} ms`;
  const bytes = { all: await bytesInClickhouse(url), projections: await bytesInProjections(url) };
  return {
    title: `Statistics over ${formatNumber(total)} hits in ClickHouse`,
    columns: ['', 'waited, ms', 'range', 'ClickHouse itself, ms', ''],
    rows: answers.map(({ name, hasTwoFilters, waited, inServer }) => [
      name,
      formatNumber(waited.median),
      formatRange(waited),
      formatNumber(inServer.median),
      hasTwoFilters ? verdict(waited.most) : '',
    ]),
    notes: [
      `${days} days of one organization with ${formatNumber(links)} links, by the values that most clicks have; ${formatNumber(foldedCount)} were folded, the others copied with other instants and links. ${rounds} rounds, one question at a time.`,
      `${formatNumber(bytes.all / total)} bytes a hit, of which ${formatNumber(bytes.projections / total)} are projections.`,
    ],
    figures: {
      hits: total,
      bytes_a_hit: bytes.all / total,
      in_projections: bytes.projections / total,
      answers,
    },
  };
}

const numberOf = (text: string): number => Number(text.replaceAll('"', ''));

function serverAt(url: string) {
  const server = clickServerOf(url);
  if (server === null) throw new Error('CLICKS_URL is no ClickHouse');
  return server;
}

async function fillDatabase(foldedCount: number, copies: number): Promise<string> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  const url = await freshClickhouse();
  await foldMonths(folder.path, organizationId, foldedCount, postgres.url, url);
  const [newest = 0, oldest = 0] = (
    await queryClickhouse(url, 'select max(id), min(at) from hits where id > 0 format TabSeparated')
  )
    .split('\t')
    .map(numberOf);
  const timeSpan = days * dayLength;
  // Renamed, because the copies are made from there.
  await queryClickhouse(url, 'rename table hits to folded');
  await queryClickhouse(url, 'create table hits as folded');
  // Projections are built afterwards, as in an upgrade from an earlier version: that takes a fraction of the time.
  for (const name of projectionNames) await queryClickhouse(url, `alter table hits drop projection ${name}`);
  // Each copy starts at another time and has its links in another order, except the busiest link.
  const since = `(at - ${oldest} + toInt64(copy * 0.618034 * ${timeSpan})) % ${timeSpan}`;
  const expressions: Partial<Record<string, string>> = {
    // Ids increase with time, as they do when hits are folded as they occur.
    id: `1 + intDiv(${since} * ${copies}, ${Math.ceil(timeSpan / newest)})`,
    at: `${oldest} + ${since}`,
    link_id: `if(link_id = ${busyLink}, ${busyLink}, 2 + (link_id + copy * 97) % ${links - 1})`,
  };
  const columns = ['id', ...hitColumns];
  for (let copy = 0; copy < copies; copy += copiesAtOnce)
    await queryClickhouse(
      url,
      `insert into hits (${columns.join(', ')}) select ${columns.map((name) => `${expressions[name] ?? name} as ${name}_copied`).join(', ')}
       from (select arrayJoin(range(${copy}, ${Math.min(copy + copiesAtOnce, copies)})) as copy) as numbers cross join folded
       settings max_block_size = 65536, min_insert_block_size_rows = ${copiesAtOnce * foldedCount}, min_insert_block_size_bytes = 0`,
    );
  await ClickhouseHits.of(serverAt(url)).prepare('bench');
  await queryClickhouse(
    url,
    `insert into hit_batches (journal, segment, byte_offset, first_id, last_id, instants, folded_at)
     values ('moved', 0, 0, 1, ${copies * newest}, [], ${Date.now()})`,
  );
  return url;
}
