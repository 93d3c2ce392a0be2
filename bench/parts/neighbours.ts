import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure, percentile } from '../figures.ts';
import { agentAt } from '../hit-mix.ts';
import { cycle, load } from '../load.ts';
import { callApi, makeLinks, type Owner, ownPassword, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startLinnet } from '../program.ts';
import { seededRandom, zipf } from '../redirect/zipf.ts';
import { requestBytes } from '../request.ts';
import { formatNumber, type Report } from '../table.ts';

const parallelCalls = 50;
const guesses = 1_000;
const agents = 500;
/** Milliseconds. */
const promised = { list: 300, signIn: 1_000 };
const ownersEmail = 'owner@example.com';

interface LatencyRow {
  readonly store: string;
  readonly call: string;
  readonly promised: number;
  readonly alone: Latency;
  readonly beside: Latency;
}

interface Latency extends Figure {
  readonly p99: number;
  readonly calls: number;
}

const latencyOf = (latencies: readonly number[]): Latency => ({
  ...figure(latencies),
  p99: percentile(
    latencies.toSorted((one, other) => one - other),
    99,
  ),
  calls: latencies.length,
});

/** How long an organization waits while another makes heavy queries, and an account owner while others guess their password. */
export async function measureNeighbours(effort: Effort): Promise<Report> {
  using onDisk = temporaryFolder();
  const rows = await measure('SQLite', onDisk.path, '', effort);
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  rows.push(...(await measure('PostgreSQL', folder.path, postgres.url, effort)));
  return report(rows);
}

async function measure(store: string, dataDir: string, databaseUrl: string, effort: Effort) {
  const { links, clicks, rounds } = effort.neighbours;
  const [busy, quiet] = await twoOwners(dataDir, databaseUrl);
  // Guesses come from many addresses, which this machine sends as a trusted proxy.
  await using program = await startLinnet(dataDir, databaseUrl, { TRUSTED_PROXIES: '127.0.0.1' });
  const visited = await makeLinks(program, busy, someLinks(links));
  await makeLinks(program, quiet, someLinks(100));
  await visit(program, visited, clicks);
  await untilCounted(program, busy, clicks);
  const lists = { store, call: `list, during ${parallelCalls} statistics calls`, promised: promised.list };
  const signIns = { store, promised: promised.signIn };
  return [
    { ...lists, ...(await listBesideStatistics(program, busy, quiet, rounds)) },
    ...(await signInBesideGuesses(program, rounds)).map((waits) => ({ ...signIns, ...waits })),
  ];
}

/** Created before the proxy is trusted: behind one the first account would need the setup token. */
async function twoOwners(dataDir: string, databaseUrl: string): Promise<[Owner, Owner]> {
  await using program = await startLinnet(dataDir, databaseUrl, { REGISTRATION: 'open' });
  return [await register(program, 'busy@example.com'), await register(program, ownersEmail)];
}

const someLinks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    destination_url: `https://shop.example.com/products/${index}`,
  }));

async function visit(program: Program, suffixes: readonly string[], clicks: number): Promise<void> {
  const random = seededRandom(7);
  const linkOf = zipf(suffixes.length);
  const visits = Array.from({ length: Math.min(clicks, 20_000) }, (_, index) =>
    requestBytes(program.port, 'GET', `/${suffixes[linkOf(random())]}`, {
      'user-agent': agentAt(index % agents),
      'x-forwarded-for': `81.2.${index % 250}.${(index >> 4) % 250}`,
    }),
  );
  await load(program, {
    connections: 16,
    seconds: 120,
    maxRequests: clicks,
    status: 302,
    next: cycle(visits),
  });
}

async function untilCounted(program: Program, owner: Owner, clicks: number): Promise<void> {
  for (;;) {
    const { totals } = await callApi<{ totals: { clicks: number; not_counted: Record<string, number> } }>(
      program,
      'GET',
      '/api/v1/stats',
      { credential: owner.key },
    );
    const counted = Object.values(totals.not_counted).reduce((sum, count) => sum + count, totals.clicks);
    if (counted >= clicks) return;
    await Bun.sleep(200);
  }
}

/** Statistics of the organization, some from roll-ups and some counted from individual hits. */
const statistics = [
  '/api/v1/stats?group_by=country',
  '/api/v1/stats?interval=hour&group_by=browser',
  '/api/v1/stats?device=mobile&group_by=browser',
  '/api/v1/stats?os=Windows&group_by=referrer',
];

async function listBesideStatistics(program: Program, busy: Owner, quiet: Owner, rounds: number) {
  const list = () => timed(() => callApi(program, 'GET', '/api/v1/link?limit=25', { credential: quiet.key }));
  const alone: number[] = [];
  for (let call = 0; call < 30; call++) alone.push(await list());
  const beside: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const next = cycle(statistics);
    const calls = Array.from({ length: parallelCalls }, async () => {
      for (let call = 0; call < 3; call++) await callApi(program, 'GET', next(), { credential: busy.key });
    });
    await whilePending(calls, async () => beside.push(await list()));
  }
  return { alone: latencyOf(alone), beside: latencyOf(beside) };
}

async function signInBesideGuesses(program: Program, rounds: number) {
  const ownAddress = '2001:db8:1:1ff::1';
  const first = await signIn(program, ownAddress, ownPassword);
  const knownCookie = first.headers.getSetCookie().find((cookie) => cookie.startsWith('linnet_known='));
  const signIns = [
    {
      call: 'sign-in of a known browser',
      from: '2001:db8:1:177::1',
      cookie: knownCookie?.split(';')[0] ?? '',
    },
    { call: 'sign-in from a known network', from: ownAddress, cookie: '' },
  ];
  const latencies = signIns.map(() => ({ alone: [] as number[], beside: [] as number[] }));
  const ownSignIn = async ({ from, cookie }: { from: string; cookie: string }) => {
    const { status } = await signIn(program, from, ownPassword, cookie);
    if (status !== 201) throw new Error(`the owner's sign-in was answered with ${status}`);
  };
  for (const [index, { alone }] of latencies.entries())
    for (let time = 0; time < 3; time++)
      alone.push(await timed(() => ownSignIn(signIns[index] as (typeof signIns)[0])));
  for (let round = 0; round < rounds; round++) {
    let guessed = 0;
    const calls = Array.from({ length: parallelCalls }, async () => {
      while (guessed < guesses) {
        const from = `2001:db8:1:1${(guessed++ % 250).toString(16).padStart(2, '0')}::2`;
        await signIn(program, from, 'wrong');
      }
    });
    await whilePending(calls, async () => {
      for (const [index, { beside }] of latencies.entries())
        beside.push(await timed(() => ownSignIn(signIns[index] as (typeof signIns)[0])));
    });
  }
  return signIns.map(({ call }, index) => ({
    call: `${call}, during ${guesses.toLocaleString('en-US')} guesses from its /56`,
    alone: latencyOf(latencies[index]?.alone ?? []),
    beside: latencyOf(latencies[index]?.beside ?? []),
  }));
}

async function signIn(program: Program, from: string, password: string, cookie = ''): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${program.port}/api/v1/session`, {
    method: 'POST',
    keepalive: false,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...(cookie && { cookie }) },
    body: JSON.stringify({ email: ownersEmail, password }),
  });
  await response.arrayBuffer();
  return response;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Repeats `work` until the calls have ended, at least once. */
async function whilePending(calls: readonly Promise<void>[], work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const all = Promise.all(calls).finally(() => {
    isOver = true;
  });
  do await work();
  while (!isOver);
  await all;
}

function report(rows: readonly LatencyRow[]): Report {
  return {
    title: 'Latency beside heavy use by others',
    columns: ['alone ms', 'beside ms', 'p99', 'slowest', ''],
    rows: rows.map(({ store, call, alone, beside, promised }) => [
      `${store}: ${call}`,
      formatNumber(alone.median),
      formatNumber(beside.median),
      formatNumber(beside.p99),
      formatNumber(beside.most),
      beside.most <= promised ? `under ${promised}` : `not always under the promised ${promised}`,
    ]),
    notes: [],
    figures: rows,
  };
}
