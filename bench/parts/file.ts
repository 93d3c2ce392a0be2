import { join } from 'node:path';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import { freePorts } from '../../test/support/free-ports.ts';
import { cpuTimeWithChildren } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { killOnExit, temporaryFolder } from '../exit-cleanup.ts';
import { figure, ratio } from '../figures.ts';
import { makeLinks, register } from '../owner.ts';
import { type Program, startLinnet, startProgram } from '../program.ts';
import { kilobytesOf } from '../redirect/process-tree.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';

const root = join(import.meta.dir, '..', '..');

/** Milliseconds until a program is idle: a checkout bundles its pages a second after the start. */
const idleDelay = 6_000;
const timeout = 60_000;

interface Contender {
  readonly command: readonly string[];
  /** The command that runs the deliverable on an existing store, which it finds in `dataDir`. */
  readonly deployedCommand: readonly string[];
  readonly dataDir: string;
  readonly settings: Record<string, string>;
  readonly measured: Record<Measure, number[]>;
}

const measures = {
  first: 'first start: ms until it listens',
  first_cpu: 'first start: ms of CPU until then',
  second: 'second start: ms until it listens',
  second_cpu: 'second start: ms of CPU until then',
  rest_cpu: 'ms of CPU until it is idle',
  memory: 'MB of memory when idle',
  own_memory: 'MB of it not backed by a file',
  redirect: 'ms from its start until the first redirect (the file: as an image)',
} as const;

type Measure = keyof typeof measures;

/** Compares starting the one file with starting from the sources, in alternation. */
export async function measureFile({ starts }: Effort): Promise<Report> {
  using dist = temporaryFolder();
  using store = temporaryFolder();
  const path = await build(dist.path);
  const image = join(dist.path, 'image');
  run([join(root, 'deploy', 'image-root.sh'), path, image]);
  const link = await storeWithLink(store.path);
  const inImage = [join(root, 'test', 'support', 'in-image.sh'), image, store.path];
  const file = newContender([path], {}, inImage, '/data');
  const main = [process.execPath, join(root, 'src', 'main.ts')];
  const checkout = newContender(main, startEnvironment, main, store.path);
  const pair = [file, checkout];
  for (let round = 0; round < starts; round++) {
    for (const contender of round % 2 === 0 ? pair : pair.toReversed()) {
      await measureStarts(contender);
      contender.measured.redirect.push(await firstRedirect(contender, link));
    }
  }
  return report(file, checkout, Bun.file(path).size / 1e6);
}

const newContender = (
  command: readonly string[],
  settings: Record<string, string>,
  deployedCommand: readonly string[],
  dataDir: string,
): Contender => ({
  command,
  deployedCommand,
  dataDir,
  settings,
  measured: {
    first: [],
    first_cpu: [],
    second: [],
    second_cpu: [],
    rest_cpu: [],
    memory: [],
    own_memory: [],
    redirect: [],
  },
});

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr}`);
}

/** Creates a store with a link, and returns the path of the link. */
async function storeWithLink(dataDir: string): Promise<string> {
  await using program = await startLinnet(dataDir);
  const owner = await register(program);
  const [suffix] = await makeLinks(program, owner, [{ destination_url: 'https://example.com/' }]);
  return `/${suffix}`;
}

/** Milliseconds from the start (as `docker run` starts an image) to the first redirect. */
async function firstRedirect(
  { deployedCommand, dataDir, settings }: Contender,
  path: string,
): Promise<number> {
  const [port = 0] = freePorts(1);
  const { PATH = '', HOME = '' } = process.env;
  const own = { PORT: String(port), HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const startedAt = performance.now();
  const child = Bun.spawn([...deployedCommand, 'serve'], {
    cwd: root,
    env: { PATH, HOME, ...settings, ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  killOnExit(child);
  const visit = () =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', keepalive: false }).then(
      ({ status }) => status,
      () => 0,
    );
  while ((await visit()) !== 302) {
    if (child.exitCode !== null || performance.now() - startedAt > timeout)
      throw new Error(`${deployedCommand.join(' ')} does not redirect`);
    await Bun.sleep(1);
  }
  const milliseconds = performance.now() - startedAt;
  child.kill('SIGTERM');
  await child.exited;
  return milliseconds;
}

async function build(dist: string): Promise<string> {
  const env = { ...process.env, LINNET_DIST: dist };
  const child = Bun.spawn([process.execPath, 'scripts/build.ts'], { cwd: root, env, stdout: 'pipe' });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the file could not be built');
  return output.split('  ')[0] ?? '';
}

async function measureStarts({ command, settings, measured }: Contender): Promise<void> {
  using data = temporaryFolder();
  const started = async (): Promise<[Program, milliseconds: number]> => {
    const startedAt = performance.now();
    const environment = { ...settings, PORT: '0', DATA_DIR: data.path, LOG_LEVEL: 'error' };
    const program = await startProgram([...command, 'serve'], environment);
    return [program, performance.now() - startedAt];
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
  await Bun.sleep(idleDelay);
  measured.rest_cpu.push(cpu(second));
  measured.memory.push(kilobytesOf(second.pid, 'Rss') / 1_000);
  // Pages of the program's file are shared by all processes that run it, and are evicted when memory is short.
  measured.own_memory.push(kilobytesOf(second.pid, 'Pss_Anon') / 1_000);
}

function report(file: Contender, checkout: Contender, size: number): Report {
  const names = Object.keys(measures) as Measure[];
  const of = (contender: Contender, name: Measure) => figure(contender.measured[name]);
  const ratioOf = (name: Measure) => ratio(file.measured[name], checkout.measured[name]);
  return {
    title: 'The one file',
    columns: ['file', 'checkout', 'file / checkout', 'range'],
    rows: names.map((name) => [
      measures[name],
      formatNumber(of(file, name).median),
      formatNumber(of(checkout, name).median),
      formatNumber(ratioOf(name).median),
      formatRange(ratioOf(name)),
    ]),
    notes: [`The file has ${formatNumber(size)} MB.`],
    figures: {
      megabytes: size,
      file: Object.fromEntries(names.map((name) => [name, of(file, name)])),
      checkout: Object.fromEntries(names.map((name) => [name, of(checkout, name)])),
      ratio: Object.fromEntries(names.map((name) => [name, ratioOf(name)])),
    },
  };
}
