import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effort } from '../effort.ts';
import { type Figure, figure } from '../figures.ts';
import { cycle, load } from '../load.ts';
import { callBytes } from '../owner.ts';
import { type Program, startLinnet } from '../program.ts';
import { requestBytes } from '../request.ts';
import { type SeededStore, seededStore } from '../seed.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import {
  type Action,
  apiActions,
  type Compared,
  compareSizes,
  cost,
  type SeededProgram,
} from './store-actions.ts';

const promised = { ratio: 1.5, start_ms: 2_000, memory_mb: 300, far_ms: 50 };
const sizes = { small: 10_000, large: 10_000_000 };
const quickSizes = { small: 1_000, large: 60_000 };
const callsPerQuery = 30;

interface DeepCall {
  readonly call: string;
  readonly first_ms: number;
  readonly ms: Figure;
}

/** Compares ten million links with ten thousand, each in its own SQLite store, in alternation. */
export async function measureTenMillion({ isQuick, store }: Effort): Promise<Report> {
  const { small, large } = isQuick ? quickSizes : sizes;
  using smallStore = await seededStore(small);
  const startedAt = performance.now();
  using largeStore = await seededStore(large);
  const seeded = (performance.now() - startedAt) / 1000;
  const warmCache = async () => {
    for (const { dataDir } of [smallStore, largeStore]) await readIntoCache(join(dataDir, 'linnet.sqlite'));
  };
  await warmCache();
  const start = await startTimes(largeStore, isQuick ? 2 : 5);
  await using smallProgram = await startLinnet(smallStore.dataDir);
  await using largeProgram = await startLinnet(largeStore.dataDir);
  const programs = {
    small: { program: smallProgram, owner: smallStore.owner, links: small },
    large: { program: largeProgram, owner: largeStore.owner, links: large },
  };
  const suffixes = { small: suffixesOf(smallStore), large: suffixesOf(largeStore) };
  const redirect: Action = ({ program, links }, size) => {
    const from = links === small ? suffixes.small : suffixes.large;
    const visits = from.map((suffix) => requestBytes(program.port, 'GET', `/${suffix}`, {}));
    return cost(program, { ...size, status: 302, next: cycle(visits) });
  };
  const compared = await compareSizes(programs, { redirect, ...apiActions }, store, warmCache);
  const fetched = { small: fetchedBytes(smallProgram), large: fetchedBytes(largeProgram) };
  const far = await deepCalls(programs.large, suffixes.large);
  const memory = { small: memoryPeak(smallProgram), large: memoryPeak(largeProgram) };
  return report({ large, small, seeded, start, compared, fetched, far, memory });
}

/**
 * Reads the file into the system's page cache, where a server's store is after a while. A virtual machine that returns memory to its
 * host evicts it again, so the report includes what was read from the disk.
 */
async function readIntoCache(file: string): Promise<void> {
  for await (const _ of Bun.file(file).stream());
}

/** Milliseconds from the start of the process to its first redirect. */
async function startTimes(store: SeededStore, rounds: number): Promise<Figure> {
  const [suffix] = suffixesOf(store);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await using program = await startLinnet(store.dataDir);
    const { status } = await fetch(`http://127.0.0.1:${program.port}/${suffix}`, { redirect: 'manual' });
    if (status !== 302) throw new Error(`a link answered ${status}`);
    times.push(performance.now() - begun);
  }
  return figure(times);
}

/** A random sample. */
function suffixesOf({ dataDir }: SeededStore): string[] {
  using database = new Database(join(dataDir, 'linnet.sqlite'), { readonly: true });
  const [newest] = database.query('select max(id) from links').values()[0] as [number];
  const find = database.query('select suffix from links where id = ?');
  return Array.from({ length: 20_000 }, () => {
    const row = find.get(1 + Math.floor(Math.random() * newest)) as { suffix: string } | null;
    return row?.suffix ?? '';
  }).filter((suffix) => suffix !== '');
}

/** Deep pages, searches and sorted lists: one call at a time, the first one and the following ones. */
async function deepCalls(
  { program, owner, links }: SeededProgram,
  suffixes: readonly string[],
): Promise<DeepCall[]> {
  const page = Math.min(100_000, Math.floor(links / 25 / 2));
  const offset = (page - 1) * 25;
  const paths: Record<string, (turn: number) => string> = {
    [`page ${page.toLocaleString('en')}`]: (turn) => `?offset=${offset + turn}`,
    [`page ${page.toLocaleString('en')}, oldest first`]: (turn) => `?offset=${offset + turn}&sort=created_at`,
    'search by the beginning of a suffix': (turn) => `?q=${suffixes[turn]?.slice(0, 5)}`,
    'search by the beginning of a name': (turn) =>
      `?q=Mailing%20of%20week%20${turn % 52},%20product%20${turn}`,
    'search by the beginning of a destination': (turn) =>
      `?q=shop.example.com/collections/${turn % 97}/products/${turn}`,
    'search with many matches': () => '?q=mail',
    'search without matches': (turn) => `?q=nothing-like-it-${turn}`,
    'by name': (turn) => `?sort=name&offset=${turn}`,
    'by suffix': (turn) => `?sort=-suffix&offset=${turn}`,
    'by last change': (turn) => `?sort=-updated_at&offset=${turn}`,
    'with a tag': (turn) => `?tag=${1 + (turn % 8)}`,
  };
  const far: DeepCall[] = [];
  for (const [call, query] of Object.entries(paths)) {
    const timeCall = async (turn: number) => {
      const bytes = callBytes(program, owner, 'GET', `/api/v1/link${query(turn)}`);
      const { p50 } = await load(program, {
        connections: 1,
        seconds: 60,
        maxRequests: 1,
        status: 200,
        next: () => bytes,
      });
      return p50;
    };
    const first = await timeCall(0);
    // The first call to a deep page starts counting its blocks in the background.
    if (far.length === 0) await Bun.sleep(5_000);
    const times: number[] = [];
    for (let turn = 1; turn <= callsPerQuery; turn++) times.push(await timeCall(turn));
    far.push({ call, first_ms: first, ms: figure(times) });
  }
  return far;
}

/** MB that a program has read from the disk; null if unknown. */
function fetchedBytes({ pid }: Program): number | null {
  if (process.platform !== 'linux') return null;
  const bytes = /^read_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
  return bytes === undefined ? null : Number(bytes) / 2 ** 20;
}

/** The peak memory of a program in MB; null if unknown. */
function memoryPeak({ pid }: Program): number | null {
  if (process.platform !== 'linux') return null;
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

interface Findings {
  readonly small: number;
  readonly large: number;
  readonly seeded: number;
  readonly start: Figure;
  readonly compared: readonly Compared[];
  readonly fetched: { readonly small: number | null; readonly large: number | null };
  readonly far: readonly DeepCall[];
  readonly memory: { readonly small: number | null; readonly large: number | null };
}

function report(findings: Findings): Report {
  const { small, large, start, compared, fetched, far, memory } = findings;
  const within = (isWithin: boolean, bound: string) => `${isWithin ? 'within' : 'OVER'} ${bound}`;
  return {
    title: 'SQLite by number of links',
    columns: [...[small, large].map((links) => links.toLocaleString('en')), 'ratio', 'range', ''],
    rows: [
      ...compared.map(({ call, small_us, large_us, ratio: times }) => [
        `${call}, µs`,
        formatNumber(small_us.median),
        formatNumber(large_us.median),
        formatNumber(times.median),
        formatRange(times),
        within(times.median <= promised.ratio, `${promised.ratio}x`),
      ]),
      ...(fetched.small === null || fetched.large === null
        ? []
        : [
            [
              'read from the disk meanwhile, MB',
              formatNumber(fetched.small),
              formatNumber(fetched.large),
              '',
              '',
              '',
            ],
          ]),
      ...far.map(({ call, first_ms, ms }) => [
        `${call}, ms`,
        '',
        formatNumber(ms.median),
        '',
        `${formatRange(ms)}; first call ${formatNumber(first_ms)}`,
        within(ms.median <= promised.far_ms, `${promised.far_ms} ms`),
      ]),
      [
        'start, ms',
        '',
        formatNumber(start.median),
        '',
        formatRange(start),
        within(start.median <= promised.start_ms, '2 s'),
      ],
      ...(memory.small === null || memory.large === null
        ? []
        : [
            [
              'peak memory, MB',
              formatNumber(memory.small),
              formatNumber(memory.large),
              '',
              '',
              within(memory.large <= promised.memory_mb, '300 MB'),
            ],
          ]),
    ],
    notes: [
      'µs a request: for one client the median latency; for several the total time divided by the requests.',
      "The ratio is the median of each round's ratio. Reads go to random links, redirects to 20,000 random ones. The files are in the system's cache.",
      `Seeding took ${formatNumber(findings.seeded)} s.`,
    ],
    figures: findings,
  };
}
