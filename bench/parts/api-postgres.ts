import { join, resolve } from 'node:path';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { temporaryFolder } from '../leftovers.ts';
import { inTurn, load } from '../load.ts';
import { ask, callBytes, type Owner, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startProgram } from '../program.ts';
import { number, type Report, range } from '../table.ts';

const connections = 16;
const links = 1_000;

interface Call {
  readonly name: string;
  readonly status: number;
  readonly next: () => Uint8Array;
}

/** A checkout that runs over a PostgreSQL of its own. */
interface Contender extends AsyncDisposable {
  readonly program: Program;
  readonly calls: readonly Call[];
  /** By call, what each round came to in a second. */
  readonly perSecond: number[][];
}

/** This checkout beside another one by turns, where `--before=PATH` names one: an earlier version with its node_modules. */
export async function measureApiPostgres({ reads }: Effort): Promise<Report> {
  const before = process.argv.find((word) => word.startsWith('--before='))?.slice('--before='.length);
  await using now = await contender(join(import.meta.dir, '..', '..'));
  await using earlier = before === undefined ? null : await contender(resolve(before));
  const both = earlier === null ? [now] : [now, earlier];
  for (const one of both) await round(one, reads.seconds / 2);
  for (const { perSecond } of both) for (const figures of perSecond) figures.length = 0;
  for (let index = 0; index < reads.rounds; index++)
    for (const one of index % 2 === 0 ? both : both.toReversed()) await round(one, reads.seconds);
  const rows = now.calls.map(({ name }, index) => {
    const own = now.perSecond[index] ?? [];
    const other = earlier?.perSecond[index] ?? [];
    return {
      call: name,
      per_second: figure(own),
      before_per_second: figure(other),
      times_as_many: ratio(own, other),
    };
  });
  return {
    title: `API on PostgreSQL, ${connections} connections`,
    columns: ['a second', 'range', 'before', 'times as many', 'range'],
    rows: rows.map(({ call, per_second, before_per_second, times_as_many }) => [
      call,
      number(per_second.median),
      range(per_second),
      ...(earlier === null
        ? ['', '', '']
        : [number(before_per_second.median), times_as_many.median.toFixed(2), range(times_as_many)]),
    ]),
    notes: ['PostgreSQL runs on this machine with fsync=off, one for each version.'],
    figures: rows,
  };
}

async function contender(checkout: string): Promise<Contender> {
  const opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const { url } = opened.use(await startPostgres());
  const program = opened.use(
    await startProgram([process.execPath, join(checkout, 'src', 'main.ts'), 'serve'], {
      ...startEnvironment,
      ...{ PORT: '0', DATA_DIR: folder.path, DATABASE_URL: url, MISS_LIMIT: '0' },
    }),
  );
  const calls = await callsOf(program, await register(program));
  return {
    program,
    calls,
    perSecond: calls.map(() => []),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function callsOf(program: Program, owner: Owner): Promise<Call[]> {
  const body = { destination_url: 'https://shop.example.com/autumn?utm_source=mail', name: 'Autumn mailing' };
  const create: Call = {
    name: 'create one link',
    status: 201,
    next: inTurn([callBytes(program, owner, 'POST', '/api/v1/link?disable_png=true', body)]),
  };
  await load(program, { connections, seconds: 30, most: links, ...create });
  const listed = await ask<{ links: { id: number }[] }>(program, 'GET', `/api/v1/link?limit=${links}`, {
    credential: owner.key,
  });
  const get = (name: string, paths: readonly string[]): Call => ({
    name,
    status: 200,
    next: inTurn(paths.map((path) => callBytes(program, owner, 'GET', path))),
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

async function round({ program, calls, perSecond }: Contender, seconds: number): Promise<void> {
  for (const [index, call] of calls.entries())
    perSecond[index]?.push((await load(program, { connections, seconds, ...call })).perSecond);
}
