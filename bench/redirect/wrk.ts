import { browserHeaders } from './browser-headers.ts';
import { loadCore } from './cores.ts';
import { toolPath } from './tools.ts';

export interface Storm {
  readonly seconds: number;
  readonly connections: number;
  /** What is visited; with `paths`, those instead. */
  readonly path?: string;
  /** A file of paths, one a line, visited in turn. */
  readonly paths?: string;
  /** The status that every answer must have; of pages from 400 on wrk only says how many. */
  readonly expects?: 'redirects' | 'refusals';
  /** Each request on a connection of its own. */
  readonly isFresh?: boolean;
}

export interface StormResult {
  readonly requests: number;
  readonly perSecond: number;
  /** In microseconds. */
  readonly p50: number;
  readonly p99: number;
}

const script = new URL('./paths.lua', import.meta.url).pathname;

export async function storm(
  url: string,
  { seconds, connections, paths, expects, isFresh }: Storm,
): Promise<StormResult> {
  const all = isFresh ? { ...browserHeaders, Connection: 'close' } : browserHeaders;
  const headers = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const child = Bun.spawn(
    [
      ...[toolPath('taskset'), '-c', loadCore, toolPath('wrk')],
      ...['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...headers],
      ...(paths === undefined ? [] : ['-s', script]),
      ...[url, ...(paths === undefined ? [] : ['--', paths])],
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`wrk failed: ${said}`);
  return read(said, expects ?? 'redirects');
}

function read(said: string, expects: 'redirects' | 'refusals'): StormResult {
  const part = (pattern: RegExp) => pattern.exec(said)?.[1] ?? '';
  const requests = Number(part(/(\d+) requests in/));
  const refused = Number(part(/Non-2xx or 3xx responses: (\d+)/));
  if (requests === 0 || refused !== (expects === 'refusals' ? requests : 0) || said.includes('Socket errors'))
    throw new Error(`not every answer was as it should be:\n${said}`);
  return {
    requests,
    perSecond: Number(part(/Requests\/sec:\s+([\d.]+)/)),
    p50: microseconds(part(/^\s+50%\s+(\S+)/m)),
    p99: microseconds(part(/^\s+99%\s+(\S+)/m)),
  };
}

const units: Record<string, number> = { us: 1, ms: 1_000, s: 1_000_000 };

function microseconds(text: string): number {
  const [, value = '', unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(value) * (units[unit] ?? Number.NaN);
}
