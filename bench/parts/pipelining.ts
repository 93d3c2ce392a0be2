import { join } from 'node:path';
import type { Effort } from '../effort.ts';
import { killOnExit, temporaryFolder } from '../exit-cleanup.ts';
import { figure, ratio } from '../figures.ts';
import { load } from '../load.ts';
import { makeLinks, register } from '../owner.ts';
import { type Program, startLinnet } from '../program.ts';
import { requestBytes } from '../request.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';

const backgroundConnections = 100;
const visitorConnections = 4;
/** Requests in flight on each background connection. */
const kinds = { ordinary: 1, pipelining: 500 } as const;
const promised = 3;

/** How long a visitor waits beside a hundred connections with one request at a time, and beside a hundred that pipeline. */
export async function measurePipelining({ redirects }: Effort): Promise<Report> {
  using folder = temporaryFolder();
  await using program = await startLinnet(folder.path);
  const owner = await register(program);
  const [suffix = ''] = await makeLinks(program, owner, [{ destination_url: 'https://shop.example.com/' }]);
  const latencies = { ordinary: [] as number[], pipelining: [] as number[] };
  for (let round = 0; round <= redirects.rounds; round++)
    for (const kind of ['ordinary', 'pipelining'] as const) {
      const p99 = await latencyBeside(program, `/${suffix}`, kinds[kind], redirects.seconds);
      // The first round is a warm-up.
      if (round > 0) latencies[kind].push(p99);
    }
  return report(latencies);
}

async function latencyBeside(
  program: Program,
  path: string,
  inFlight: number,
  seconds: number,
): Promise<number> {
  const command = [
    process.execPath,
    join(import.meta.dir, '..', 'background-load.ts'),
    program.port,
    path,
    backgroundConnections,
    inFlight,
  ];
  const child = Bun.spawn(command.map(String), { stdout: 'pipe', stderr: 'inherit' });
  killOnExit(child);
  try {
    const { done } = await child.stdout.getReader().read();
    if (done) throw new Error('the background load ended before it had connected');
    const visit = requestBytes(program.port, 'GET', path, { 'user-agent': 'visitor' });
    const run = await load(program, {
      connections: visitorConnections,
      seconds,
      status: 302,
      next: () => visit,
    });
    return run.p99;
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

function report({ ordinary, pipelining }: Record<keyof typeof kinds, number[]>): Report {
  const times = ratio(pipelining, ordinary);
  const verdict = times.median <= promised ? 'as promised' : `more than the promised ${promised}`;
  return {
    title: `A visitor beside ${backgroundConnections} other connections`,
    columns: ['p99 ms', 'range'],
    rows: [
      ['with one request at a time', formatNumber(figure(ordinary).median), formatRange(figure(ordinary))],
      ['that pipeline', formatNumber(figure(pipelining).median), formatRange(figure(pipelining))],
    ],
    notes: [
      `Beside pipelining connections a visitor waits ${formatNumber(times.median)} times as long (${formatRange(times)}): ${verdict}.`,
    ],
    figures: { ordinary_p99_ms: figure(ordinary), pipelining_p99_ms: figure(pipelining), ratio: times },
  };
}
