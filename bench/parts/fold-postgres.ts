import { SQL } from 'bun';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure } from '../figures.ts';
import { foldJournals, journalIn } from '../fold-journals.ts';
import { hitMix, writeJournal } from '../hit-mix.ts';
import { startPostgres } from '../postgres.ts';
import { cpuWithExited } from '../redirect/process-tree.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';

const links = 200_000;
/** What is promised: bytes, bytes of WAL, and microseconds of the node and the database together. */
const promised = { bytes: 120, wal: 400, cpu: 15 };

interface Run {
  readonly perSecond: number;
  readonly nodeCpu: number;
  readonly serverCpu: number;
  readonly wal: number;
  readonly bytes: number;
  /** Bytes per hit, by table, including indexes. */
  readonly tables: Readonly<Record<string, number>>;
}

/** Folds the journal of a busy hour on many links into an empty PostgreSQL. */
export async function measureFoldPostgres({ folded, clicks, isQuick }: Effort): Promise<Report> {
  // An hour of a billion clicks a month: starting and compiling is no part of the cost of a click.
  const hits = Number(process.env.HITS || (isQuick ? folded : Math.min(folded, 1_400_000)));
  const runs: Run[] = [];
  for (let round = 0; round < Math.ceil(clicks.rounds / 3); round++) runs.push(await foldRun(hits));
  const of = (fact: (run: Run) => number): Figure => figure(runs.map(fact));
  const rows = {
    'CPU µs a hit, node': of(({ nodeCpu }) => nodeCpu),
    'CPU µs a hit, PostgreSQL': of(({ serverCpu }) => serverCpu),
    [`CPU µs a hit, both (at most ${promised.cpu})`]: of(({ nodeCpu, serverCpu }) => nodeCpu + serverCpu),
    'hits a second': of(({ perSecond }) => perSecond),
    [`bytes of WAL a hit (at most ${promised.wal})`]: of(({ wal }) => wal),
    [`bytes a hit (at most ${promised.bytes})`]: of(({ bytes }) => bytes),
    ...Object.fromEntries(
      Object.keys(runs[0]?.tables ?? {}).map((name) => [
        `bytes a hit: ${name}`,
        of(({ tables }) => tables[name] ?? 0),
      ]),
    ),
  };
  return {
    title: `Fold into PostgreSQL, ${formatNumber(hits)} hits`,
    columns: ['', 'range'],
    rows: Object.entries(rows).map(([name, value]) => [name, formatNumber(value.median), formatRange(value)]),
    notes: [
      `A busy hour on ${formatNumber(links)} links by Zipf: 2,000 user agents, 50,000 addresses, 15% with UTM parameters. Tables include their indexes.`,
    ],
    figures: { hits, links, ...rows },
  };
}

async function foldRun(hits: number): Promise<Run> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  const sql = new SQL({ url: postgres.url, max: 1 });
  const walAt = async () => Number((await sql`select pg_current_wal_lsn() - '0/0' as at`)[0].at);
  writeJournal(journalIn(folder.path), hitMix(hits, Date.now(), links));
  const [cpuBefore, walBefore] = [cpuWithExited(postgres.pid), await walAt()];
  const { seconds, cpu } = await foldJournals(folder.path, postgres.url);
  const serverCpu = (cpuWithExited(postgres.pid) - cpuBefore) / hits;
  const wal = ((await walAt()) - walBefore) / hits;
  const sizes = (await sql`
    select regexp_replace(relname, '_[0-9]{4}_[0-9]{2}$', '') as name, sum(pg_total_relation_size(oid)) as bytes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    group by 1 having sum(pg_total_relation_size(oid)) > 200000 order by 2 desc`) as {
    name: string;
    bytes: string;
  }[];
  await sql.end();
  const tables = Object.fromEntries(sizes.map(({ name, bytes }) => [name, Number(bytes) / hits]));
  return {
    perSecond: hits / seconds,
    nodeCpu: (cpu * 1e6) / hits,
    serverCpu,
    wal,
    bytes: Object.values(tables).reduce((sum, bytes) => sum + bytes, 0),
    tables,
  };
}
