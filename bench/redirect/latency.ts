import { join } from 'node:path';
import { type Figure, figure } from '../figures.ts';
import { hitMix, writeJournal } from '../hit-mix.ts';
import { endWithUs } from '../leftovers.ts';
import { contenders } from './contenders.ts';
import { loadCore } from './cores.ts';
import type { Effort } from './effort.ts';
import { type Prepared, prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import type { Rate, Waits } from './open-loop.ts';
import { Running } from './running.ts';
import { toolPath } from './tools.ts';
import { storm } from './wrk.ts';

export interface Waited {
  readonly name: string;
  readonly p50: Figure;
  readonly p99: Figure;
  readonly most: Figure;
}

export interface Latency {
  readonly perSecond: number;
  readonly waited: readonly Waited[];
}

const leftHits = 4_000_000;

/** What visitors wait at half of what Linnet can carry, by itself and while it does other things. */
export async function measureLatency({ links, rounds, latencySeconds, isQuick }: Effort): Promise<Latency> {
  using ground = await prepareGround(links);
  const [nginx, linnet] = ['nginx', 'Linnet'].map((name) =>
    contenders(ground).find((contender) => contender.name === name),
  );
  if (!nginx || !linnet) throw new Error('no such contenders');
  const path = `/${ground.destination.SUFFIX}`;
  await using _beside = await Running.start(nginx);
  await using running = await Running.start(linnet);
  await storm(`${running.url}${path}`, { seconds: 3, connections });
  const { perSecond: capacity } = await storm(`${running.url}${path}`, { seconds: 3, connections });
  const perSecond = Math.floor(capacity / 2);
  const at = (port: number) => waitsAt({ port, path, perSecond, seconds: latencySeconds, connections });
  const seen: Record<string, Waits[]> = {};
  const note = (name: string, waits: Waits) => {
    seen[name] = [...(seen[name] ?? []), waits];
  };
  for (let round = 0; round < rounds; round++) {
    note('nginx', await at(nginx.port));
    note('Linnet', await at(linnet.port));
    note('Linnet, statistics asked', await during(asking(ground, linnet.port), () => at(linnet.port)));
    note('Linnet, links imported', await during(importing(ground, linnet.port), () => at(linnet.port)));
    await running.isAtRest();
  }
  const dataDir = linnet.settings?.DATA_DIR ?? '';
  for (let round = 0; round < Math.min(3, rounds); round++) {
    const name = `left${round}`;
    writeJournal(join(dataDir, 'journal', 'bench', name), hitMix(isQuick ? 200_000 : leftHits, Date.now()));
    // Found as what a process that died has left: a start looks for that.
    const port = linnet.port + 20 + round;
    const settings = { ...linnet.settings, PORT: String(port) };
    await using fresh = await Running.start({ ...linnet, port, settings });
    await storm(`${fresh.url}${path}`, { seconds: 1, connections });
    note('Linnet, a backlog folded', await at(port));
  }
  const waited = Object.entries(seen).map(([name, waits]) => ({
    name,
    p50: figure(waits.map(({ p50 }) => p50)),
    p99: figure(waits.map(({ p99 }) => p99)),
    most: figure(waits.map(({ most }) => most)),
  }));
  return { perSecond, waited };
}

async function waitsAt(rate: Rate): Promise<Waits> {
  const script = join(import.meta.dir, 'open-loop.ts');
  const command = [toolPath('taskset'), '-c', loadCore, process.execPath, script, JSON.stringify(rate)];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  endWithUs(child);
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the load broke off');
  return JSON.parse(said);
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
