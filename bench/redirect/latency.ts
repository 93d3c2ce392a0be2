import { rmSync } from 'node:fs';
import { type Figure, figure } from '../figures.ts';
import { journalIn } from '../fold-journals.ts';
import { hitMix, writeJournal } from '../hit-mix.ts';
import { callApi, makeLinks } from '../owner.ts';
import { type Contender, contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { type PreparedFixture, prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import type { Latencies } from './open-loop.ts';
import { cpuOf, kernelThreads } from './process-tree.ts';
import { Running } from './running.ts';
import { latenciesAt } from './waits-at.ts';
import { runWrk } from './wrk.ts';

export interface LatencyResult {
  readonly name: string;
  readonly p50: Figure;
  readonly p99: Figure;
  readonly most: Figure;
  /** The difference between its p99 and that of `than` in each round, in milliseconds. */
  readonly more: { readonly than: string; readonly ms: Figure } | null;
  /** CPU time of the kernel's own threads meanwhile, in milliseconds. */
  readonly kernel: Figure;
}

export interface Latency {
  readonly perSecond: number;
  readonly waited: readonly LatencyResult[];
}

interface RoundLatency extends Latencies {
  readonly kernel: number;
}

type Measure = (name: string, port: number) => Promise<void>;

const backlogHits = 4_000_000;
const linnetName = 'Linnet';
const justStartedName = 'Linnet, just started';
/** What each measurement is compared with. */
const comparedWith: Readonly<Record<string, string>> = {
  'Linnet, statistics asked': linnetName,
  'Linnet, links imported': linnetName,
  'Linnet, a backlog folded': justStartedName,
};

/** The latency of visits at half of Linnet's capacity, idle otherwise and while it does other work. */
export async function measureLatency(effort: Effort): Promise<Latency> {
  using fixture = await prepareFixture(effort.links);
  const path = `/${fixture.destination.SUFFIX}`;
  const results: Record<string, RoundLatency[]> = {};
  const { perSecond, measure } = await measureSettled(fixture, effort, path, results);
  for (let round = 0; round < effort.rounds; round++) {
    await measureJustStarted(fixture, justStartedName, round, path, 0, measure);
    const backlog = effort.isQuick ? 200_000 : backlogHits;
    await measureJustStarted(fixture, 'Linnet, a backlog folded', round, path, backlog, measure);
  }
  return {
    perSecond,
    waited: Object.entries(results).map(([name, all]) => latencyResult(name, all, results)),
  };
}

/** Compared with nginx, after a warm-up. */
async function measureSettled(
  fixture: PreparedFixture,
  { rounds, latencySeconds }: Effort,
  path: string,
  results: Record<string, RoundLatency[]>,
): Promise<{ readonly perSecond: number; readonly measure: Measure }> {
  const nginx = contenderOf(fixture, 'nginx');
  const linnet = contenderOf(fixture, linnetName);
  await using _nginx = await Running.start(nginx);
  await using running = await Running.start(linnet);
  await runWrk(`${running.url}${path}`, { seconds: 3, connections });
  const { perSecond: capacity } = await runWrk(`${running.url}${path}`, { seconds: 3, connections });
  const perSecond = Math.floor(capacity / 2);
  const measure: Measure = async (name, port) => {
    const before = cpuOf(kernelThreads());
    const latencies = await latenciesAt({ port, path, perSecond, seconds: latencySeconds, connections });
    const kernel = (cpuOf(kernelThreads()) - before) / 1000;
    results[name] = [...(results[name] ?? []), { ...latencies, kernel }];
  };
  for (let round = 0; round < rounds; round++) {
    await measure('nginx', nginx.port);
    await measure(linnetName, linnet.port);
    await during(queryingStats(fixture, linnet.port), () => measure('Linnet, statistics asked', linnet.port));
    await during(importingLinks(fixture, linnet.port), () => measure('Linnet, links imported', linnet.port));
    await running.untilIdle();
  }
  return { perSecond, measure };
}

/** A program that has just started, with a backlog of `left` hits from a process that was killed. */
async function measureJustStarted(
  fixture: PreparedFixture,
  name: string,
  round: number,
  path: string,
  backlog: number,
  measure: Measure,
): Promise<void> {
  const linnet = contenderOf(fixture, linnetName);
  const dataDir = fixture.dataDir(`${backlog}-${round}`);
  if (backlog > 0) writeJournal(journalIn(dataDir), hitMix(backlog, Date.now()));
  {
    await using fresh = await Running.start({
      ...linnet,
      settings: { ...linnet.settings, DATA_DIR: dataDir },
    });
    await runWrk(`${fresh.url}${path}`, { seconds: 1, connections });
    await measure(name, linnet.port);
  }
  rmSync(dataDir, { recursive: true });
}

function latencyResult(
  name: string,
  all: readonly RoundLatency[],
  results: Readonly<Record<string, RoundLatency[]>>,
): LatencyResult {
  const than = comparedWith[name];
  const others = than === undefined ? [] : (results[than] ?? []);
  return {
    name,
    p50: figure(all.map(({ p50 }) => p50)),
    p99: figure(all.map(({ p99 }) => p99)),
    most: figure(all.map(({ most }) => most)),
    more:
      than === undefined
        ? null
        : { than, ms: figure(all.map(({ p99 }, round) => (p99 - (others[round]?.p99 ?? 0)) / 1000)) },
    kernel: figure(all.map(({ kernel }) => kernel)),
  };
}

function contenderOf(fixture: PreparedFixture, name: string): Contender {
  const found = contenders(fixture).find((contender) => contender.name === name);
  if (found === undefined) throw new Error(`no contender is called ${name}`);
  return found;
}

type BackgroundWork = (isOver: () => boolean) => Promise<void>;

async function during<T>(startWork: BackgroundWork, measure: () => Promise<T>): Promise<T> {
  let isOver = false;
  const work = startWork(() => isOver);
  try {
    return await measure();
  } finally {
    isOver = true;
    await work;
  }
}

const queryingStats =
  ({ owner }: PreparedFixture, port: number): BackgroundWork =>
  async (isOver) => {
    while (!isOver()) await callApi({ port }, 'GET', '/api/v1/stats?interval=day', { credential: owner.key });
  };

const importingLinks =
  ({ owner }: PreparedFixture, port: number): BackgroundWork =>
  async (isOver) => {
    const links = Array.from({ length: 1_000 }, (_, index) => ({
      destination_url: `https://shop.example.com/products/${index}`,
    }));
    while (!isOver()) await makeLinks({ port }, owner, links);
  };
