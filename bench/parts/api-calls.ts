import { join } from 'node:path';
import { earlierVersion } from '../earlier-version.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure, ratio } from '../figures.ts';
import { cycle, load } from '../load.ts';
import { callApi, callBytes, type Owner, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startLinnet } from '../program.ts';
import { cpuWithExited } from '../redirect/process-tree.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { type Call, readCall } from './api.ts';

const connections = 16;
const links = 1_000;

/** The results of a call in one round. Microseconds are CPU time, which other programs on the machine affect far less than the rate. */
interface Round {
  readonly perSecond: number;
  readonly node: number;
  readonly database: number;
}

/** A checkout that runs with its own store. */
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
  // Rounds are short, because the runtime recompiles code that wasn't used for a while.
  const rounds = 5 * effort.reads.rounds;
  const { seconds } = effort.reads;
  await using current = await startContender(store, join(import.meta.dir, '..', '..'));
  await using earlier = earlierVersion === null ? null : await startContender(store, earlierVersion);
  const contenders = earlier === null ? [current] : [current, earlier];
  // Many warm-up rounds, because the runtime compiles some code only after a hundred thousand calls.
  for (let warm = 0; warm < 2 * rounds; warm++)
    for (const contender of contenders) await measureRound(contender, seconds);
  for (const { rounds } of contenders) for (const results of rounds) results.length = 0;
  for (let index = 0; index < rounds; index++)
    for (const contender of index % 2 === 0 ? contenders : contenders.toReversed())
      await measureRound(contender, seconds);
  const rows = current.calls.map(({ name }, index) => ({
    call: name,
    now: figuresOf(current.rounds[index] ?? []),
    ...(earlier && {
      before: figuresOf(earlier.rounds[index] ?? []),
      times_as_many: ratio(
        (current.rounds[index] ?? []).map(({ perSecond }) => perSecond),
        (earlier.rounds[index] ?? []).map(({ perSecond }) => perSecond),
      ),
      times_the_cpu: ratio(
        (earlier.rounds[index] ?? []).map(cpuOfBoth),
        (current.rounds[index] ?? []).map(cpuOfBoth),
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
      ...[formatNumber(now.per_second.median), formatRange(now.per_second)],
      ...[formatNumber(now.node.median), formatNumber(now.database.median)],
      ...(before && times_as_many && times_the_cpu
        ? [
            ...[
              formatNumber(before.per_second.median),
              formatNumber(before.node.median),
              formatNumber(before.database.median),
            ],
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

async function startContender(store: Store, checkout: string): Promise<Contender> {
  const opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const postgres = store === 'SQLite' ? null : opened.use(await startPostgres());
  const program = opened.use(
    await startLinnet(folder.path, postgres?.url, {}, join(checkout, 'src', 'main.ts')),
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
  const page = await callApi<{ links: { id: number }[] }>(program, 'GET', `/api/v1/link?limit=${links}`, {
    credential: owner.key,
  });
  const paths = page.links.map(({ id }) => `/api/v1/link/${id}`);
  return [
    readCall(program, owner, 'read one link', ...paths),
    readCall(program, owner, 'list 25', '/api/v1/link?limit=25'),
    create,
  ];
}

async function measureRound(
  { program, databasePid, calls, rounds }: Contender,
  seconds: number,
): Promise<void> {
  const cpu = () => ({
    node: cpuWithExited(program.pid),
    database: databasePid === null ? 0 : cpuWithExited(databasePid),
  });
  for (const [index, call] of calls.entries()) {
    const before = cpu();
    const { perSecond, requests } = await load(program, { connections, seconds, ...call });
    const after = cpu();
    rounds[index]?.push({
      perSecond,
      node: (after.node - before.node) / requests,
      database: (after.database - before.database) / requests,
    });
  }
}
