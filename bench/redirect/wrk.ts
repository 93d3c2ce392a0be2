import { browserHeaders } from './browser-headers.ts';
import { loadCore } from './cores.ts';
import { toolPath } from './tools.ts';

export interface WrkOptions {
  readonly seconds: number;
  readonly connections: number;
  /** The path to visit, unless there are `paths`. */
  readonly path?: string;
  /** A file with one path per line, visited in turn. */
  readonly paths?: string;
  /** A file with one path per line, the most visited first: they are visited by Zipf's law, differently in each run. */
  readonly byPopularity?: string;
  /** The expected status of every response; wrk only counts those from 400 on. */
  readonly expects?: 'redirects' | 'refusals';
  /** Whether each request uses a new connection. */
  readonly isFresh?: boolean;
}

export interface WrkResult {
  readonly requests: number;
  readonly perSecond: number;
  /** In microseconds. */
  readonly p50: number;
  readonly p99: number;
}

const scriptFile = (name: string): string => new URL(`./${name}.lua`, import.meta.url).pathname;
let runs = 0;

/** The script that chooses the paths, and its arguments. */
function scriptFor({ paths, byPopularity }: WrkOptions): { file: string; args: readonly string[] } | null {
  if (byPopularity !== undefined)
    return { file: scriptFile('popularity'), args: [byPopularity, String(runs++)] };
  return paths === undefined ? null : { file: scriptFile('paths'), args: [paths] };
}

export async function runWrk(url: string, options: WrkOptions): Promise<WrkResult> {
  const { seconds, connections, expects, isFresh } = options;
  const script = scriptFor(options);
  const allHeaders = isFresh ? { ...browserHeaders, Connection: 'close' } : browserHeaders;
  const headers = Object.entries(allHeaders).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const child = Bun.spawn(
    [
      ...[toolPath('taskset'), '-c', loadCore, toolPath('wrk')],
      ...['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...headers],
      ...(script === null ? [url] : ['-s', script.file, url, '--', ...script.args]),
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`wrk failed: ${output}`);
  return parseOutput(output, expects ?? 'redirects');
}

function parseOutput(output: string, expects: 'redirects' | 'refusals'): WrkResult {
  const match = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
  const requests = Number(match(/(\d+) requests in/));
  const refused = Number(match(/Non-2xx or 3xx responses: (\d+)/));
  if (
    requests === 0 ||
    refused !== (expects === 'refusals' ? requests : 0) ||
    output.includes('Socket errors')
  )
    throw new Error(`unexpected responses:\n${output}`);
  return {
    requests,
    perSecond: Number(match(/Requests\/sec:\s+([\d.]+)/)),
    p50: microseconds(match(/^\s+50%\s+(\S+)/m)),
    p99: microseconds(match(/^\s+99%\s+(\S+)/m)),
  };
}

const units: Record<string, number> = { us: 1, ms: 1_000, s: 1_000_000 };

function microseconds(text: string): number {
  const [, value = '', unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(value) * (units[unit] ?? Number.NaN);
}
