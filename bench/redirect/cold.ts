import { join } from 'node:path';
import { type ColdPostgres, measureColdPostgres } from './cold-postgres.ts';
import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { Running } from './running.ts';
import { runWrk } from './wrk.ts';
import { seededRandom, shuffled } from './zipf.ts';

export interface Cold extends ColdSqlite {
  readonly postgres: ColdPostgres;
}

interface ColdSqlite {
  /** Microseconds of CPU for a visit to an uncached link, and to a cached one. */
  readonly missCpu: number;
  readonly hitCpu: number;
  /** The same for an address without a link, cached and uncached, and bytes of memory before and after millions of these. */
  readonly unknownCpu: number;
  readonly floodCpu: number;
  readonly memoryBefore: number;
  readonly memoryAfter: number;
  readonly floodRequests: number;
}

/** Clicks are not folded here, because only the difference between a miss and a hit matters. */
export async function measureCold(effort: Effort): Promise<Cold> {
  return { ...(await onSqlite(effort)), postgres: await measureColdPostgres(effort) };
}

async function onSqlite({ cold, seconds }: Effort): Promise<ColdSqlite> {
  using fixture = await prepareFixture(cold * 2);
  const contender = contenders(fixture).find(({ name }) => name === 'Linnet, fold held back');
  if (!contender) throw new Error('no such contender');
  const shuffledLinks = shuffled(fixture.links, seededRandom(5));
  const file = async (name: string, paths: readonly string[]) => {
    const path = join(fixture.folder, name);
    await Bun.write(path, `${paths.join('\n')}\n`);
    return path;
  };
  const half = (from: number) => shuffledLinks.slice(from, from + cold).map(({ suffix }) => `/${suffix}`);
  const [warm, fresh] = [await file('warm', half(0)), await file('fresh', half(cold))];
  const known = await file(
    'known',
    Array.from({ length: 1_000 }, (_, index) => `/no-such-${index}`),
  );
  const unknown = await file(
    'unknown',
    Array.from({ length: 2_000_000 }, (_, index) => `/flood-${index}`),
  );
  await using running = await Running.start(contender);
  const cost = async (paths: string, duration: number, expects: 'redirects' | 'refusals' = 'redirects') => {
    const before = running.cpu();
    const { requests } = await runWrk(running.url, { seconds: duration, connections, paths, expects });
    return { cpu: (running.cpu() - before) / requests, requests };
  };
  // Warms up the compiler, and caches all of these links.
  for (let visited = 0; visited < cold * 2; ) visited += (await cost(warm, Math.max(2, seconds))).requests;
  const hit = await cost(warm, seconds);
  const miss = await cost(fresh, 1);
  if (miss.requests > cold)
    process.stderr.write('Links were visited twice, so misses look cheaper than they are.\n');
  await cost(known, 1, 'refusals');
  const knownMiss = await cost(known, seconds, 'refusals');
  const memoryBefore = running.memory();
  const flood = await cost(unknown, seconds * 4, 'refusals');
  return {
    missCpu: miss.cpu,
    hitCpu: hit.cpu,
    unknownCpu: knownMiss.cpu,
    floodCpu: flood.cpu,
    floodRequests: flood.requests,
    memoryBefore,
    memoryAfter: running.memory(),
  };
}
