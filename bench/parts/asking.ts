import { Database } from 'bun:sqlite';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cpuTime } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { percentile } from '../figures.ts';
import type { Owner } from '../owner.ts';
import { type Program, startLinnet } from '../program.ts';
import { type SeededStore, seededStore } from '../seed.ts';
import { number, type Report } from '../table.ts';
import { busyLink, days, foldMonths, links } from './asking-store.ts';

const promised = { one: 50, combined: 300 };
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

/** As `--hits=200000` has it, so that the bench can be tried in a minute. */
function option(name: string): string | undefined {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`));
  return given?.slice(name.length + 3);
}

function callsOf(owner: 'link' | 'organization'): Call[] {
  const base = owner === 'link' ? `/api/v1/link/${busyLink}` : '/api/v1';
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const stats = `${base}/stats?from=${day(days - 1)}`;
  const one = (name: string, path: string) => ({ name: `${owner}: ${name}`, path, promised: promised.one });
  const two = (name: string, query: string) => ({
    name: `${owner}: ${name}`,
    path: `${stats}&${query}`,
    promised: promised.combined,
  });
  return [
    one('90 days', stats),
    one('30 days by the hour', `${base}/stats?interval=hour`),
    ...groupings.map((by) => one(`by ${by}`, `${stats}&group_by=${by}`)),
    one('one filter, a country', `${stats}&country=DE`),
    one('one filter, a referrer', `${stats}&referrer=site-1.example.org`),
    two('two filters, country and browser', 'country=DE&browser=Chrome'),
    two('two filters, referrer and device', 'referrer=site-1.example.org&device=mobile'),
    two('a country, by campaign', 'country=US&group_by=utm_campaign'),
    two('a device, by referrer', 'device=mobile&group_by=referrer'),
    two('a device and a country, by system', 'device=mobile&country=US&group_by=os'),
    two('bots by country', 'class=bot&group_by=country'),
    ...listed.map((name) => one(`list, ${name}`, `${base}/clicks?limit=50&class=${name}`)),
    one('list, a day two months ago', `${base}/clicks?limit=50&from=${day(60)}&to=${day(60)}`),
    one('list, offset 10,000', `${base}/clicks?limit=50&offset=10000`),
  ];
}

const linksWithSparklines: Call = {
  name: 'list of links with sparklines',
  path: '/api/v1/link?limit=25&daily=30',
  promised: promised.one,
};

/** Every statistics call of the dashboard over months of clicks, one after the other, on SQLite. */
export async function measureAsking({ isQuick }: Effort): Promise<Report> {
  const hits = Number(option('hits') ?? (isQuick ? 200_000 : 10_000_000));
  const rounds = Number(option('rounds') ?? (isQuick ? 5 : 20));
  using store = await storeOf(hits, option('store'));
  await using program = await startLinnet(store.dataDir);
  await visit(program, store.dataDir);
  await merged(store.dataDir, hits);
  const calls = [...callsOf('organization'), ...callsOf('link'), linksWithSparklines];
  const times = new Map(calls.map(({ path }) => [path, { waits: [] as number[], cpu: 0 }]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round++)
    for (const { path } of calls) {
      const before = cpuTime(program) ?? Number.NaN;
      const taken = await timed(program, store.owner, path);
      const of = times.get(path);
      if (round === 0 || of === undefined) continue;
      of.waits.push(taken);
      of.cpu += (cpuTime(program) ?? Number.NaN) - before;
    }
  const results = calls.map(({ name, path, promised: bound }) => {
    const { waits = [], cpu = Number.NaN } = times.get(path) ?? {};
    const sorted = waits.toSorted((one, other) => one - other);
    return {
      name,
      promised_ms: bound,
      p50_ms: percentile(sorted, 50),
      p95_ms: percentile(sorted, 95),
      cpu_ms: cpu / 1000 / rounds,
    };
  });
  return {
    title: `Asking, ${hits.toLocaleString('en-US')} clicks`,
    columns: ['p50 ms', 'p95 ms', 'CPU ms', ''],
    rows: results.map((row) => [
      row.name,
      number(row.p50_ms),
      number(row.p95_ms),
      number(row.cpu_ms),
      row.p95_ms <= row.promised_ms ? `within ${row.promised_ms} ms` : `OVER ${row.promised_ms} ms`,
    ]),
    notes: [
      `${days} days of one organization with ${links.toLocaleString('en-US')} links, a tenth of the clicks on one of them. Each call ${rounds} times, one at a time.`,
    ],
    figures: { hits, rounds, results },
  };
}

async function timed({ port }: Program, { key }: Owner, path: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'api-key': key } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return performance.now() - begun;
}

/** Made by the real fold; or one that an earlier run has left in a folder. */
async function storeOf(hits: number, folder: string | undefined): Promise<SeededStore> {
  const kept = folder === undefined ? null : join(folder, 'owner.json');
  if (folder !== undefined && kept !== null && existsSync(kept))
    return { dataDir: folder, owner: await Bun.file(kept).json(), [Symbol.dispose]() {} };
  const store = await seededStore(links);
  await foldMonths(store, hits);
  withoutVisitors(store.dataDir);
  if (folder === undefined || kept === null) return store;
  cpSync(store.dataDir, folder, { recursive: true });
  await Bun.write(kept, JSON.stringify(store.owner));
  return store;
}

/** Those of past days, which a server that ran all the while would have deleted day by day. */
function withoutVisitors(dataDir: string): void {
  using database = new Database(join(dataDir, 'linnet.sqlite'));
  database.run('delete from daily_visitors');
  database.run('pragma wal_checkpoint(truncate)');
}

/** The fold begins its work with the first visit. */
async function visit({ port }: Program, dataDir: string): Promise<void> {
  using database = new Database(join(dataDir, 'linnet.sqlite'), { readonly: true });
  const [[suffix] = []] = database.query('select suffix from links where id = 1').values();
  await fetch(`http://127.0.0.1:${port}/${suffix}`, { redirect: 'manual' });
}

/** Until all hits are in chunks but those that are too few for one. */
async function merged(dataDir: string, hits: number): Promise<void> {
  using database = new Database(join(dataDir, 'linnet.sqlite'), { readonly: true });
  const left = () => {
    const [[inChunks] = []] = database.query('select coalesce(sum(hits), 0) from hit_chunks').values();
    return hits - Number(inChunks);
  };
  for (let waited = 0; left() > 20_000 && waited < 1_200; waited++) await Bun.sleep(1_000);
}
