import { ClickhouseHits } from '../../src/ledger/clickhouse/clickhouse-hits.ts';
import { projectionNames } from '../../src/ledger/clickhouse/clickhouse-tables.ts';
import { hitColumns } from '../../src/rules/click-fields.ts';
import { clickServerOf } from '../../src/rules/clicks-url.ts';
import { askClickhouse, freshClickhouse } from '../../test/support/clickhouse.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { startPostgres } from '../postgres.ts';
import { number, type Report, range } from '../table.ts';
import { bytesInClickhouse, bytesInProjections, mergesDone } from './clickhouse-facts.ts';
import { answered, organizationId, questionsTo } from './hit-questions.ts';
import { busyLink, days, foldMonths, links } from './months-of-hits.ts';

/** Milliseconds, for statistics with two filters. */
const promised = 300;
const rounds = 9;
const foldedHits = 1_000_000;
/** Copies of these in one insertion: they are sorted in memory. */
const copiesAtOnce = 5;

/** Statistics over very many hits in ClickHouse: a part of them is folded, and ClickHouse has the others of those. */
export async function measureClickhouseMany({ folded, isQuick }: Effort): Promise<Report> {
  const hits = Number(process.env.HITS || (isQuick ? 10 * folded : 100_000_000));
  const made = Math.min(isQuick ? folded : foldedHits, hits);
  const url = process.env.CLICKS_URL || (await filled(made, Math.round(hits / made)));
  await mergesDone(url);
  const { ledger } = ClickhouseHits.of(serverAt(url));
  const all = numberOf(await askClickhouse(url, 'select count() from hits format TabSeparated'));
  const answers = await answered(await questionsTo(ledger), rounds);
  const verdict = (slowest: number) =>
    slowest <= promised ? `within ${promised} ms` : `OVER ${promised} ms`;
  const bytes = { all: await bytesInClickhouse(url), projections: await bytesInProjections(url) };
  return {
    title: `Statistics over ${number(all)} hits in ClickHouse`,
    columns: ['', 'waited, ms', 'range', 'ClickHouse itself, ms', ''],
    rows: answers.map(({ name, hasTwoFilters, waited, inServer }) => [
      name,
      number(waited.median),
      range(waited),
      number(inServer.median),
      hasTwoFilters ? verdict(waited.most) : '',
    ]),
    notes: [
      `${days} days of one organization with ${number(links)} links, by the values that most clicks have; ${number(made)} were folded, the others copied with other instants and links. ${rounds} rounds, one question at a time.`,
      `${number(bytes.all / all)} bytes a hit, of which ${number(bytes.projections / all)} are projections.`,
    ],
    figures: { hits: all, bytes_a_hit: bytes.all / all, in_projections: bytes.projections / all, answers },
  };
}

const numberOf = (text: string): number => Number(text.replaceAll('"', ''));

function serverAt(url: string) {
  const server = clickServerOf(url);
  if (server === null) throw new Error('CLICKS_URL is no ClickHouse');
  return server;
}

async function filled(made: number, copies: number): Promise<string> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  const url = await freshClickhouse();
  const owner = { organizationId } as Parameters<typeof foldMonths>[0]['owner'];
  await foldMonths({ dataDir: folder.path, owner }, made, postgres.url, url);
  const [newest = 0, oldest = 0] = (
    await askClickhouse(url, 'select max(id), min(at) from hits where id > 0 format TabSeparated')
  )
    .split('\t')
    .map(numberOf);
  const span = days * 86_400_000;
  // Under another name: what is folded is copied from there, with as many copies as there are to be.
  await askClickhouse(url, 'rename table hits to folded');
  await askClickhouse(url, 'create table hits as folded');
  // Built afterwards, as they are where a store of an earlier version gets them: that takes a fraction of the time.
  for (const name of projectionNames) await askClickhouse(url, `alter table hits drop projection ${name}`);
  // Each begins elsewhere in the time, and has its links in another order; the busiest stays.
  const since = `(at - ${oldest} + toInt64(copy * 0.618034 * ${span})) % ${span}`;
  const changed: Partial<Record<string, string>> = {
    // Ids rise with time, as they do where hits come in as they are made.
    id: `1 + intDiv(${since} * ${copies}, ${Math.ceil(span / newest)})`,
    at: `${oldest} + ${since}`,
    link_id: `if(link_id = ${busyLink}, ${busyLink}, 2 + (link_id + copy * 97) % ${links - 1})`,
  };
  const columns = ['id', ...hitColumns];
  for (let copy = 0; copy < copies; copy += copiesAtOnce)
    await askClickhouse(
      url,
      `insert into hits (${columns.join(', ')}) select ${columns.map((name) => `${changed[name] ?? name} as ${name}_copied`).join(', ')}
       from (select arrayJoin(range(${copy}, ${Math.min(copy + copiesAtOnce, copies)})) as copy) as numbers cross join folded
       settings max_block_size = 65536, min_insert_block_size_rows = ${copiesAtOnce * made}, min_insert_block_size_bytes = 0`,
    );
  await ClickhouseHits.of(serverAt(url)).prepare('bench');
  await askClickhouse(
    url,
    `insert into hit_batches (journal, segment, byte_offset, first_id, last_id, instants, folded_at)
     values ('moved', 0, 0, 1, ${copies * newest}, [], ${Date.now()})`,
  );
  return url;
}
