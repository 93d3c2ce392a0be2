import { join } from 'node:path';
import pg from 'pg';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure, ratio } from '../figures.ts';
import { load } from '../load.ts';
import { makeLinks, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { startLinnet } from '../program.ts';
import { requestBytes } from '../request.ts';
import { browserHeaders } from './browser-headers.ts';
import { linnetSettings, recordingCommand } from './contenders.ts';
import type { Effort } from './effort.ts';
import { connections } from './hot.ts';
import { Running } from './running.ts';
import { runWrk } from './wrk.ts';

export interface ColdPostgres {
  /** Microseconds of Linnet's CPU for a visit to an uncached link, and to a cached one. */
  readonly missCpu: number;
  readonly hitCpu: number;
  /** The latency of single visitors in microseconds, by each round's median. */
  readonly known: Figure;
  readonly unknown: Figure;
  /** What a miss adds to that in each round, and its ratio to the latency of two queries to PostgreSQL. */
  readonly added: Figure;
  readonly selectOne: Figure;
  readonly sameQuestion: Figure;
  readonly addedToSelectOne: Figure;
  readonly addedToSameQuestion: Figure;
}

const visitsPerRound = 400;
const port = 3931;

const pathOf = (link: number): string => `/cold-${link}`;

/** Clicks are not folded here, as on SQLite. */
export async function measureColdPostgres({ cold, seconds, rounds }: Effort): Promise<ColdPostgres> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  const linkCount = cold + (rounds + 1) * visitsPerRound;
  await fillStore(postgres.url, folder.path, linkCount);
  await using running = await Running.start({
    name: 'Linnet on PostgreSQL, fold held back',
    what: '',
    command: recordingCommand,
    settings: linnetSettings(port, folder.path, { HITS: 'unfolded', DATABASE_URL: postgres.url }),
    port,
  });
  const half = Math.floor(cold / 2);
  const paths = async (name: string, from: number) => {
    const file = join(folder.path, name);
    const lines = Array.from({ length: half }, (_, link) => `${pathOf(from + link)}\n`);
    await Bun.write(file, lines.join(''));
    return file;
  };
  const [first, second] = [await paths('first', 0), await paths('second', half)];
  // Warms up the compiler.
  await costOf(running, { seconds: 2, path: pathOf(0) });
  await costOf(running, { seconds: 1, paths: first });
  const hit = await costOf(running, { seconds, path: pathOf(0) });
  const miss = await costOf(running, { seconds: 1, paths: second });
  if (miss.requests > half)
    process.stderr.write('Links were visited twice, so misses look cheaper than they are.\n');
  return {
    missCpu: miss.cpu,
    hitCpu: hit.cpu,
    ...(await measureLatencies(postgres.url, rounds, (round, turn) => cold + round * visitsPerRound + turn)),
  };
}

async function fillStore(databaseUrl: string, dataDir: string, count: number): Promise<void> {
  await using program = await startLinnet(dataDir, databaseUrl);
  const links = Array.from({ length: count }, (_, index) => ({
    suffix: pathOf(index).slice(1),
    destination_url: `https://shop.example.com/collections/${index % 97}/products/${index}`,
  }));
  await makeLinks(program, await register(program), links);
}

async function costOf(
  running: Running,
  plan: { readonly seconds: number; readonly path?: string; readonly paths?: string },
): Promise<{ readonly cpu: number; readonly requests: number }> {
  const before = running.cpu();
  const { requests } = await runWrk(`${running.url}${plan.path ?? ''}`, { ...plan, connections });
  return { cpu: (running.cpu() - before) / requests, requests };
}

/** One at a time, each kind in turn: the latency of visits, and of queries through `pg` itself. */
async function measureLatencies(
  url: string,
  rounds: number,
  linkAt: (round: number, turn: number) => number,
) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const visit = async (next: () => number) => {
    const visits = Array.from({ length: visitsPerRound }, () =>
      requestBytes(port, 'GET', pathOf(next()), browserHeaders),
    );
    let turn = 0;
    const plan = { connections: 1, seconds: 60, maxRequests: visitsPerRound, status: 302 };
    return (await load({ port }, { ...plan, next: () => visits[turn++] as Uint8Array })).p50 * 1000;
  };
  const query = (text: string, values: () => unknown[]) => medianLatency(() => client.query(text, values()));
  const latencies: Record<'known' | 'unknown' | 'selectOne' | 'sameQuestion', number[]> = {
    known: [],
    unknown: [],
    selectOne: [],
    sameQuestion: [],
  };
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    let turn = 0;
    const medians = {
      known: await visit(() => 0),
      unknown: await visit(() => linkAt(round, turn++)),
      selectOne: await query('select 1', () => []),
      sameQuestion: await query(
        'select id, destination_url from links where domain_id = $1 and suffix = $2',
        () => [0, pathOf(turn++ % visitsPerRound).slice(1)],
      ),
    };
    if (round === 0) continue;
    for (const [kind, latency] of Object.entries(medians))
      latencies[kind as keyof typeof latencies].push(latency);
  }
  await client.end();
  const { known, unknown, selectOne, sameQuestion } = latencies;
  const added = unknown.map((latency, round) => latency - (known[round] ?? Number.NaN));
  return {
    known: figure(known),
    unknown: figure(unknown),
    added: figure(added),
    selectOne: figure(selectOne),
    sameQuestion: figure(sameQuestion),
    addedToSelectOne: ratio(added, selectOne),
    addedToSameQuestion: ratio(added, sameQuestion),
  };
}

/** The median of many calls, in microseconds. */
async function medianLatency(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < visitsPerRound; turn++) {
    const startedAt = performance.now();
    await call();
    times.push((performance.now() - startedAt) * 1000);
  }
  return figure(times).median;
}
