import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, figure } from '../figures.ts';
import { hitMix, writeJournal } from '../hit-mix.ts';
import { type Contender, contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { type Prepared, prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import type { Waits } from './open-loop.ts';
import { cpuOf, kernelThreads } from './process-tree.ts';
import { Running } from './running.ts';
import { waitsAt } from './waits-at.ts';
import { storm } from './wrk.ts';

export interface Waited {
  readonly name: string;
  readonly p50: Figure;
  readonly p99: Figure;
  readonly most: Figure;
  /** By how much p99 was above that of what was measured beside it, round by round, in milliseconds. */
  readonly more: { readonly than: string; readonly ms: Figure } | null;
  /** CPU that the kernel's own threads took meanwhile, in milliseconds. */
  readonly kernel: Figure;
}

export interface Latency {
  readonly perSecond: number;
  readonly waited: readonly Waited[];
}

interface Seen extends Waits {
  readonly kernel: number;
}

type Measure = (name: string, port: number) => Promise<void>;

const leftHits = 4_000_000;
const itself = 'Linnet';
const started = 'Linnet, just started';
/** What is measured beside what. */
const beside: Readonly<Record<string, string>> = {
  'Linnet, statistics asked': itself,
  'Linnet, links imported': itself,
  'Linnet, a backlog folded': started,
};

/** What visitors wait at half of what Linnet can carry, by itself and while it does other things. */
export async function measureLatency(effort: Effort): Promise<Latency> {
  using ground = await prepareGround(effort.links);
  const path = `/${ground.destination.SUFFIX}`;
  const seen: Record<string, Seen[]> = {};
  const { perSecond, measure } = await settled(ground, effort, path, seen);
  for (let round = 0; round < effort.rounds; round++) {
    await justStarted(ground, started, round, path, 0, measure);
    const left = effort.isQuick ? 200_000 : leftHits;
    await justStarted(ground, 'Linnet, a backlog folded', round, path, left, measure);
  }
  return { perSecond, waited: Object.entries(seen).map(([name, all]) => waitedOf(name, all, seen)) };
}

/** Beside nginx, once it has run for a while. */
async function settled(
  ground: Prepared,
  { rounds, latencySeconds }: Effort,
  path: string,
  seen: Record<string, Seen[]>,
): Promise<{ readonly perSecond: number; readonly measure: Measure }> {
  const nginx = contenderOf(ground, 'nginx');
  const linnet = contenderOf(ground, itself);
  await using _nginx = await Running.start(nginx);
  await using running = await Running.start(linnet);
  await storm(`${running.url}${path}`, { seconds: 3, connections });
  const { perSecond: capacity } = await storm(`${running.url}${path}`, { seconds: 3, connections });
  const perSecond = Math.floor(capacity / 2);
  const measure: Measure = async (name, port) => {
    const before = cpuOf(kernelThreads());
    const waits = await waitsAt({ port, path, perSecond, seconds: latencySeconds, connections });
    const kernel = (cpuOf(kernelThreads()) - before) / 1000;
    seen[name] = [...(seen[name] ?? []), { ...waits, kernel }];
  };
  for (let round = 0; round < rounds; round++) {
    await measure('nginx', nginx.port);
    await measure(itself, linnet.port);
    await during(asking(ground, linnet.port), () => measure('Linnet, statistics asked', linnet.port));
    await during(importing(ground, linnet.port), () => measure('Linnet, links imported', linnet.port));
    await running.isAtRest();
  }
  return { perSecond, measure };
}

/** A program that finds so many hits at its start, left by one that died: none, or a backlog. */
async function justStarted(
  ground: Prepared,
  name: string,
  round: number,
  path: string,
  left: number,
  measure: Measure,
): Promise<void> {
  const linnet = contenderOf(ground, itself);
  const dataDir = ground.dataDir(`${left}-${round}`);
  if (left > 0) writeJournal(join(dataDir, 'journal', 'bench', 'left'), hitMix(left, Date.now()));
  {
    await using fresh = await Running.start({
      ...linnet,
      settings: { ...linnet.settings, DATA_DIR: dataDir },
    });
    await storm(`${fresh.url}${path}`, { seconds: 1, connections });
    await measure(name, linnet.port);
  }
  rmSync(dataDir, { recursive: true });
}

function waitedOf(name: string, all: readonly Seen[], seen: Readonly<Record<string, Seen[]>>): Waited {
  const than = beside[name];
  const others = than === undefined ? [] : (seen[than] ?? []);
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

function contenderOf(ground: Prepared, name: string): Contender {
  const found = contenders(ground).find((contender) => contender.name === name);
  if (found === undefined) throw new Error(`no contender is called ${name}`);
  return found;
}

type Busy = (isOver: () => boolean) => Promise<void>;

async function during<T>(busy: Busy, measure: () => Promise<T>): Promise<T> {
  let isOver = false;
  const going = busy(() => isOver);
  try {
    return await measure();
  } finally {
    isOver = true;
    await going;
  }
}

const call = async ({ owner }: Prepared, port: number, method: string, path: string, body?: object) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { 'api-key': owner.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
};

const asking =
  (ground: Prepared, port: number): Busy =>
  async (isOver) => {
    while (!isOver()) await call(ground, port, 'GET', '/stats?interval=day');
  };

const importing =
  (ground: Prepared, port: number): Busy =>
  async (isOver) => {
    const links = Array.from({ length: 1_000 }, (_, index) => ({
      destination_url: `https://shop.example.com/products/${index}`,
    }));
    while (!isOver()) await call(ground, port, 'POST', '/link/bulk?disable_png=true', { links });
  };
