import { dayLength } from '../../src/rules/durations.ts';
import type { Effort } from '../effort.ts';
import { percentile } from '../figures.ts';
import type { Owner } from '../owner.ts';
import { type Program, startLinnet } from '../program.ts';
import { cpuOf, treeOf } from '../redirect/process-tree.ts';
import { formatNumber, type Report } from '../table.ts';
import { busyLink, days, links } from './months-of-hits.ts';
import { postgresStatsStore, type StatsStore, sqliteStatsStore } from './stats-stores.ts';

const promised = { single: 50, combined: 300 };
const groupings = [
  'country',
  'device',
  'os',
  'browser',
  'language',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'destination',
  'source',
  'class',
  'reason',
];
const listed = ['click', 'all', 'bot', 'preview', 'prefetch', 'repeat'];

interface Call {
  readonly name: string;
  readonly path: string;
  readonly promised: number;
}

/** Reads an option such as `--hits=200000`, with which the bench takes a minute. */
function option(name: string): string | undefined {
  const found = process.argv.find((word) => word.startsWith(`--${name}=`));
  return found?.slice(name.length + 3);
}

const dayBefore = (days: number) => new Date(Date.now() - days * dayLength).toISOString().slice(0, 10);

function callsOf(owner: 'link' | 'organization'): Call[] {
  const base = owner === 'link' ? `/api/v1/link/${busyLink}` : '/api/v1';
  const stats = `${base}/stats?from=${dayBefore(days - 1)}`;
  const single = (name: string, path: string) => ({
    name: `${owner}: ${name}`,
    path,
    promised: promised.single,
  });
  const combined = (name: string, query: string) => ({
    name: `${owner}: ${name}`,
    path: `${stats}&${query}`,
    promised: promised.combined,
  });
  return [
    single('90 days', stats),
    single('30 days by the hour', `${base}/stats?interval=hour`),
    ...groupings.map((by) => single(`by ${by}`, `${stats}&group_by=${by}`)),
    single('one filter, a country', `${stats}&country=DE`),
    single('one filter, a referrer', `${stats}&referrer=site-1.example.org`),
    combined('two filters, country and browser', 'country=DE&browser=Chrome'),
    combined('two filters, referrer and device', 'referrer=site-1.example.org&device=mobile'),
    combined('a country, by campaign', 'country=US&group_by=utm_campaign'),
    combined('a device, by referrer', 'device=mobile&group_by=referrer'),
    combined('a device and a country, by system', 'device=mobile&country=US&group_by=os'),
    combined('bots by country', 'class=bot&group_by=country'),
    ...listed.map((name) => single(`list, ${name}`, `${base}/clicks?limit=50&class=${name}`)),
    single('list, a day two months ago', `${base}/clicks?limit=50&from=${dayBefore(60)}&to=${dayBefore(60)}`),
    single('list, offset 10,000', `${base}/clicks?limit=50&offset=10000`),
  ];
}

const linksWithSparklines: Call = {
  name: 'list of links with sparklines',
  path: '/api/v1/link?limit=25&daily=30',
  promised: promised.single,
};

/** The same call for two days: it starts the same threads and connections, but reads little. */
function overTwoDays(path: string): string {
  const url = new URL(path, 'http://localhost');
  if (!/(stats|clicks)$/.test(url.pathname)) return path;
  url.searchParams.delete('to');
  url.searchParams.set('from', dayBefore(1));
  return `${url.pathname}${url.search}`;
}

/** Every statistics call of the dashboard over months of clicks, one at a time, on SQLite. */
export const measureStatsCalls = (effort: Effort): Promise<Report> =>
  measure(effort, 'SQLite', (hits) => sqliteStatsStore(hits, option('store')));

/** The same on PostgreSQL. */
export const measureStatsCallsPostgres = (effort: Effort): Promise<Report> =>
  measure(effort, 'PostgreSQL', (hits) => postgresStatsStore(hits, Number(option('copies') ?? 1)));

async function measure(
  { isQuick }: Effort,
  name: string,
  open: (hits: number) => Promise<StatsStore>,
): Promise<Report> {
  const hits = Number(option('hits') ?? (isQuick ? 200_000 : 10_000_000));
  const rounds = Number(option('rounds') ?? (isQuick ? 5 : 20));
  const isCold = option('cold') !== undefined;
  await using store = await open(hits);
  const start = () => startLinnet(store.dataDir, store.databaseUrl);
  let program = await start();
  await using programs = new AsyncDisposableStack();
  programs.defer(() => program[Symbol.asyncDispose]());
  await visit(program, await store.firstSuffix());
  for (let waited = 0; (await store.unmerged()) > 20_000 && waited < 1_200; waited++) await Bun.sleep(1_000);
  const calls = [...callsOf('organization'), ...callsOf('link'), linksWithSparklines];
  const cpuTimes = () => ({
    own: cpuOf([program.pid]),
    server: cpuOf(store.serverPid === null ? [] : treeOf(store.serverPid)),
  });
  const times = new Map(calls.map(({ path }) => [path, { waits: [] as number[], cpu: 0, serverCpu: 0 }]));
  const restart = async (path: string) => {
    await program[Symbol.asyncDispose]();
    program = await start();
    for (let time = 0; time < 3; time++) await timed(program, store.owner, overTwoDays(path));
  };
  // The first round warms up.
  for (let round = isCold ? 1 : 0; round <= rounds; round++)
    for (const { path } of calls) {
      if (isCold) await restart(path);
      const before = cpuTimes();
      const milliseconds = await timed(program, store.owner, path);
      const sums = times.get(path);
      if (round === 0 || sums === undefined) continue;
      const after = cpuTimes();
      sums.waits.push(milliseconds);
      sums.cpu += after.own - before.own;
      sums.serverCpu += after.server - before.server;
    }
  const results = calls.map(({ name, path, promised: bound }) => {
    const { waits = [], cpu = Number.NaN, serverCpu = Number.NaN } = times.get(path) ?? {};
    const sorted = waits.toSorted((one, other) => one - other);
    return {
      name,
      promised_ms: bound,
      p50_ms: percentile(sorted, 50),
      p95_ms: percentile(sorted, 95),
      cpu_ms: cpu / 1000 / rounds,
      server_cpu_ms: serverCpu / 1000 / rounds,
    };
  });
  return {
    title: `Statistics on ${name}, ${hits.toLocaleString('en-US')} clicks`,
    columns: ['p50 ms', 'p95 ms', 'CPU ms', "server's CPU ms", ''],
    rows: results.map((row) => [
      row.name,
      formatNumber(row.p50_ms),
      formatNumber(row.p95_ms),
      formatNumber(row.cpu_ms),
      formatNumber(row.server_cpu_ms),
      row.p50_ms === Number.POSITIVE_INFINITY
        ? 'TIMED OUT'
        : row.p95_ms <= row.promised_ms
          ? `within ${row.promised_ms} ms`
          : `OVER ${row.promised_ms} ms`,
    ]),
    notes: [
      `${days} days of one organization with ${links.toLocaleString('en-US')} links, a tenth of the clicks on one of them. Each call ${rounds} times, one at a time.`,
    ],
    figures: { hits, rounds, results },
  };
}

const gatewayTimeout = 504;

/** Milliseconds; infinite if the call timed out. */
async function timed({ port }: Program, { key }: Owner, path: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'api-key': key } });
  const text = await response.text();
  const isTimeout = response.status === gatewayTimeout;
  if (!response.ok && !isTimeout) throw new Error(`${path}: ${response.status} ${text}`);
  return isTimeout ? Number.POSITIVE_INFINITY : performance.now() - startedAt;
}

/** The first visit starts the fold. */
async function visit({ port }: Program, suffix: string): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/${suffix}`, { redirect: 'manual' });
}
