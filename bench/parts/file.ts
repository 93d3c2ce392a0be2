import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import { cpuTimeWithChildren } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { temporaryFolder } from '../leftovers.ts';
import { type Program, startProgram } from '../program.ts';
import { number, type Report, range } from '../table.ts';

const root = join(import.meta.dir, '..', '..');

/** Milliseconds until a program has nothing to do: a checkout bundles its pages a second after the start. */
const rest = 6_000;

interface Contender {
  readonly command: readonly string[];
  readonly settings: Record<string, string>;
  readonly measured: Record<Measure, number[]>;
}

const measures = {
  first: 'first start: ms until it listens',
  first_cpu: 'first start: ms of CPU until then',
  second: 'second start: ms until it listens',
  second_cpu: 'second start: ms of CPU until then',
  rest_cpu: 'ms of CPU until it has nothing to do',
  memory: 'MB of memory at rest',
  own_memory: 'MB of it that no file backs',
} as const;

type Measure = keyof typeof measures;

/** What a start of the one file costs, beside a start from the sources, by turns. */
export async function measureFile({ starts }: Effort): Promise<Report> {
  using dist = temporaryFolder();
  const path = await build(dist.path);
  const file = contender([path], {});
  const checkout = contender([process.execPath, join(root, 'src', 'main.ts')], startEnvironment);
  const pair = [file, checkout];
  for (let round = 0; round < starts; round++) {
    for (const one of round % 2 === 0 ? pair : pair.toReversed()) await measureStarts(one);
  }
  return report(file, checkout, Bun.file(path).size / 1e6);
}

const contender = (command: readonly string[], settings: Record<string, string>): Contender => ({
  command,
  settings,
  measured: {
    first: [],
    first_cpu: [],
    second: [],
    second_cpu: [],
    rest_cpu: [],
    memory: [],
    own_memory: [],
  },
});

async function build(dist: string): Promise<string> {
  const env = { ...process.env, LINNET_DIST: dist };
  const child = Bun.spawn([process.execPath, 'scripts/build.ts'], { cwd: root, env, stdout: 'pipe' });
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the file could not be built');
  return said.split('  ')[0] ?? '';
}

async function measureStarts({ command, settings, measured }: Contender): Promise<void> {
  using data = temporaryFolder();
  const started = async (): Promise<[Program, milliseconds: number]> => {
    const began = performance.now();
    const environment = { ...settings, PORT: '0', DATA_DIR: data.path, LOG_LEVEL: 'error' };
    const program = await startProgram([...command, 'serve'], environment);
    return [program, performance.now() - began];
  };
  const cpu = (program: Program) => (cpuTimeWithChildren(program) ?? Number.NaN) / 1_000;
  {
    const [first, milliseconds] = await started();
    await using _ = first;
    measured.first.push(milliseconds);
    measured.first_cpu.push(cpu(first));
  }
  const [second, milliseconds] = await started();
  await using _ = second;
  measured.second.push(milliseconds);
  measured.second_cpu.push(cpu(second));
  await Bun.sleep(rest);
  measured.rest_cpu.push(cpu(second));
  measured.memory.push(memoryOf(second, 'Rss'));
  measured.own_memory.push(memoryOf(second, 'Pss_Anon'));
}

/** Megabytes. Pages of the program's file are in memory once for all that run it, and go when others need the room. */
function memoryOf({ pid }: Program, kind: 'Rss' | 'Pss_Anon'): number {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(lines)?.[1]) / 1_000;
}

function report(file: Contender, checkout: Contender, size: number): Report {
  const names = Object.keys(measures) as Measure[];
  const of = (one: Contender, name: Measure) => figure(one.measured[name]);
  const ratioOf = (name: Measure) => ratio(file.measured[name], checkout.measured[name]);
  return {
    title: 'the one file',
    columns: ['file', 'checkout', 'file / checkout', 'range'],
    rows: names.map((name) => [
      measures[name],
      number(of(file, name).median),
      number(of(checkout, name).median),
      number(ratioOf(name).median),
      range(ratioOf(name)),
    ]),
    notes: [`The file has ${number(size)} MB.`],
    figures: {
      megabytes: size,
      file: Object.fromEntries(names.map((name) => [name, of(file, name)])),
      checkout: Object.fromEntries(names.map((name) => [name, of(checkout, name)])),
      ratio: Object.fromEntries(names.map((name) => [name, ratioOf(name)])),
    },
  };
}
