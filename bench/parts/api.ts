import type { Effort, Rounds } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure } from '../figures.ts';
import { cycle, load, type Run } from '../load.ts';
import { callApi, callBytes, type Owner, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startLinnet } from '../program.ts';
import { requestBytes } from '../request.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';

const connections = 16;
const maxPageSize = 1000;

export interface Call {
  readonly name: string;
  readonly status: number;
  readonly next: () => Uint8Array;
}

/** Reads these paths in turn. */
export const readCall = (program: Program, owner: Owner, name: string, ...paths: string[]): Call => ({
  name,
  status: 200,
  next: cycle(paths.map((path) => callBytes(program, owner, 'GET', path))),
});

interface Measured {
  readonly store: string;
  readonly call: string;
  readonly per_second: Figure;
  readonly p50_ms: Figure;
  readonly p99_ms: Figure;
  readonly alone_ms: Figure;
}

/** How many API calls each store answers in a second. */
export async function measureApi(effort: Effort): Promise<Report> {
  const measured = [...(await onSqlite(effort)), ...(await onPostgres(effort))];
  return {
    title: `API, ${connections} connections`,
    columns: ['a second', 'range', 'p50 ms', 'p99 ms', 'alone ms'],
    rows: measured.map(({ store, call, per_second, p50_ms, p99_ms, alone_ms }) => [
      `${store}: ${call}`,
      formatNumber(per_second.median),
      formatRange(per_second),
      formatNumber(p50_ms.median),
      formatNumber(p99_ms.median),
      formatNumber(alone_ms.median),
    ]),
    notes: [
      '"alone" is the median latency of a single client that makes one call at a time.',
      'PostgreSQL runs on this machine with fsync=off: its creations do not wait for the disk, while those on SQLite do.',
      'A creation with a PNG draws nothing: the PNG is drawn when it is requested, which has its own row.',
    ],
    figures: measured,
  };
}

async function onSqlite(effort: Effort): Promise<Measured[]> {
  using folder = temporaryFolder();
  await using program = await startLinnet(folder.path);
  return await measure('SQLite', program, effort);
}

async function onPostgres(effort: Effort): Promise<Measured[]> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  await using program = await startLinnet(folder.path, postgres.url);
  return await measure('PostgreSQL', program, effort);
}

async function measure(store: string, program: Program, { creations, reads }: Effort): Promise<Measured[]> {
  const owner = await register(program);
  const created = await inRounds(store, program, creationCalls(program, owner), creations);
  await fill(program, owner);
  const read = await inRounds(store, program, await readCalls(program, owner), reads);
  return [...created, ...read];
}

function creationCalls(program: Program, owner: Owner): Call[] {
  const bodies = Array.from({ length: 256 }, (_, index) => ({
    destination_url: `https://shop.example.com/collections/autumn/products/${index}?utm_source=mail&utm_campaign=week-${index % 52}`,
    name: `Autumn mailing, product ${index}`,
  }));
  const call = (name: string, path: string): Call => ({
    name,
    status: 201,
    next: cycle(bodies.map((body) => callBytes(program, owner, 'POST', path, body))),
  });
  return [
    call('create, with PNG', '/api/v1/link'),
    call('create, disable_png', '/api/v1/link?disable_png=true'),
  ];
}

/** Creates enough links for a full page. */
async function fill(program: Program, owner: Owner): Promise<void> {
  const [call] = creationCalls(program, owner);
  if (call) await load(program, { connections, seconds: 30, maxRequests: maxPageSize, ...call });
}

async function readCalls(program: Program, owner: Owner): Promise<Call[]> {
  const { links } = await callApi<{ links: { id: number; qr_code_png: string | null }[] }>(
    program,
    'GET',
    `/api/v1/link?limit=${maxPageSize}`,
    { credential: owner.key },
  );
  const pngs = links.flatMap(({ qr_code_png }) =>
    qr_code_png === null ? [] : [new URL(qr_code_png).pathname],
  );
  return [
    readCall(program, owner, 'read one link', ...links.map(({ id }) => `/api/v1/link/${id}`)),
    readCall(program, owner, 'list 25', '/api/v1/link'),
    readCall(program, owner, 'list 1,000', `/api/v1/link?limit=${maxPageSize}`),
    {
      name: 'draw a PNG',
      status: 200,
      next: cycle(pngs.map((path) => requestBytes(program.port, 'GET', path, {}))),
    },
  ];
}

/** Every round makes each call in turn, so that a slow minute of the machine affects all of them. */
async function inRounds(
  store: string,
  program: Program,
  calls: readonly Call[],
  { rounds, seconds }: Rounds,
): Promise<Measured[]> {
  const concurrent = calls.map((): Run[] => []);
  const alone = calls.map((): Run[] => []);
  for (const call of calls) await load(program, { connections, seconds: seconds / 2, ...call });
  for (let round = 0; round < rounds; round++) {
    for (const [index, call] of calls.entries()) {
      concurrent[index]?.push(await load(program, { connections, seconds, ...call }));
      alone[index]?.push(await load(program, { connections: 1, seconds: seconds / 4, ...call }));
    }
  }
  return calls.map(({ name }, index) => {
    const runs = concurrent[index] ?? [];
    return {
      store,
      call: name,
      per_second: figure(runs.map((run) => run.perSecond)),
      p50_ms: figure(runs.map((run) => run.p50)),
      p99_ms: figure(runs.map((run) => run.p99)),
      alone_ms: figure((alone[index] ?? []).map((run) => run.p50)),
    };
  });
}
