import { join, resolve } from 'node:path';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure, ratio } from '../figures.ts';
import { cycle, load } from '../load.ts';
import { ask, callBytes, type Owner, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startProgram } from '../program.ts';
import { cpuWithEnded } from '../redirect/process-tree.ts';
import { number, type Report, range } from '../table.ts';

const connections = 16;
const links = 1_000;

interface Call {
  readonly name: string;
  readonly status: number;
  readonly next: () => Uint8Array;
}

/** The results of a call in one round. Microseconds are CPU time, which other programs on the machine affect far less. */
interface Round {
  readonly perSecond: number;
  readonly node: number;
  readonly database: number;
}

/** A checkout that runs on a store of its own. */
interface Contender extends AsyncDisposable {
  readonly program: Program;
  /** Null if the store is embedded in the program. */
  readonly databasePid: number | null;
  readonly calls: readonly Call[];
  /** A list for each call. */
  readonly rounds: Round[][];
}

type Store = 'PostgreSQL' | 'SQLite';

export const measureApiPostgres = (effort: Effort): Promise<Report> => measure('PostgreSQL', effort);
export const measureApiSqlite = (effort: Effort): Promise<Report> => measure('SQLite', effort);

/** Measures this checkout, alternating with an earlier version if `--before=PATH` names one (with its node_modules). */
async function measure(store: Store, effort: Effort): Promise<Report> {
  // Short: the runtime compiles again what wasn't used for a while.
  const rounds = 5 * effort.reads.rounds;
  const { seconds } = effort.reads;
  const before = process.argv.find((word) => word.startsWith('--before='))?.slice('--before='.length);
  await using now = await contender(store, join(import.meta.dir, '..', '..'));
  await using earlier = before === undefined ? null : await contender(store, resolve(before));
  const both = earlier === null ? [now] : [now, earlier];
  // Many warm-up rounds, because the runtime compiles some code only after a hundred thousand calls.
  for (let warm = 0; warm < 2 * rounds; warm++) for (const one of both) await round(one, seconds);
  for (const { rounds } of both) for (const some of rounds) some.length = 0;
  for (let index = 0; index < rounds; index++)
    for (const one of index % 2 === 0 ? both : both.toReversed()) await round(one, seconds);
  const rows = now.calls.map(({ name }, index) => ({
    call: name,
    now: figuresOf(now.rounds[index] ?? []),
    ...(earlier && {
      before: figuresOf(earlier.rounds[index] ?? []),
      times_as_many: ratio(
        (now.rounds[index] ?? []).map(({ perSecond }) => perSecond),
        (earlier.rounds[index] ?? []).map(({ perSecond }) => perSecond),
      ),
      times_the_cpu: ratio(
        (earlier.rounds[index] ?? []).map(cpuOfBoth),
        (now.rounds[index] ?? []).map(cpuOfBoth),
      ),
    }),
  }));
  return {
    title: `API on ${store}, ${connections} connections`,
    columns: [
      ...['a second', 'range', 'µs node', 'µs database'],
      ...(earlier === null ? [] : ['before', 'µs node', 'µs database', 'times as many', 'per CPU']),
    ],
    rows: rows.map(({ call, now, before, times_as_many, times_the_cpu }) => [
      call,
      ...[number(now.per_second.median), range(now.per_second)],
      ...[number(now.node.median), number(now.database.median)],
      ...(before && times_as_many && times_the_cpu
        ? [
            ...[number(before.per_second.median), number(before.node.median), number(before.database.median)],
            ...[times_as_many.median.toFixed(2), times_the_cpu.median.toFixed(2)],
          ]
        : []),
    ]),
    notes: [
      'Microseconds are CPU time per call; "per CPU" is how many times as many calls the same CPU time makes as before.',
      ...(store === 'SQLite'
        ? []
        : ['PostgreSQL runs on this machine with fsync=off, one for each version.']),
    ],
    figures: rows,
  };
}

const cpuOfBoth = ({ node, database }: Round): number => node + database;

function figuresOf(rounds: readonly Round[]) {
  const of = (fact: (round: Round) => number): Figure => figure(rounds.map(fact));
  return {
    per_second: of(({ perSecond }) => perSecond),
    node: of(({ node }) => node),
    database: of(({ database }) => database),
  };
}

async function contender(store: Store, checkout: string): Promise<Contender> {
  const opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const postgres = store === 'SQLite' ? null : opened.use(await startPostgres());
  const program = opened.use(
    await startProgram([process.execPath, join(checkout, 'src', 'main.ts'), 'serve'], {
      ...startEnvironment,
      ...{ PORT: '0', DATA_DIR: folder.path, DATABASE_URL: postgres?.url ?? '', MISS_LIMIT: '0' },
    }),
  );
  const calls = await callsOf(program, await register(program));
  return {
    program,
    databasePid: postgres?.pid ?? null,
    calls,
    rounds: calls.map(() => []),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function callsOf(program: Program, owner: Owner): Promise<Call[]> {
  const body = { destination_url: 'https://shop.example.com/autumn?utm_source=mail', name: 'Autumn mailing' };
  const create: Call = {
    name: 'create one link',
    status: 201,
    next: cycle([callBytes(program, owner, 'POST', '/api/v1/link?disable_png=true', body)]),
  };
  await load(program, { connections, seconds: 30, maxRequests: links, ...create });
  const listed = await ask<{ links: { id: number }[] }>(program, 'GET', `/api/v1/link?limit=${links}`, {
    credential: owner.key,
  });
  const get = (name: string, paths: readonly string[]): Call => ({
    name,
    status: 200,
    next: cycle(paths.map((path) => callBytes(program, owner, 'GET', path))),
  });
  return [
    get(
      'read one link',
      listed.links.map(({ id }) => `/api/v1/link/${id}`),
    ),
    get('list 25', ['/api/v1/link?limit=25']),
    create,
  ];
}

async function round({ program, databasePid, calls, rounds }: Contender, seconds: number): Promise<void> {
  const cpu = () => ({
    node: cpuWithEnded(program.pid),
    database: databasePid === null ? 0 : cpuWithEnded(databasePid),
  });
  for (const [index, call] of calls.entries()) {
    const begun = cpu();
    const { perSecond, requests } = await load(program, { connections, seconds, ...call });
    const ended = cpu();
    rounds[index]?.push({
      perSecond,
      node: (ended.node - begun.node) / requests,
      database: (ended.database - begun.database) / requests,
    });
  }
}
