import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const root = join(import.meta.dir, '..', '..');

export interface Program {
  readonly pid: number;
  /** What it has printed so far. */
  output(): { out: string; err: string };
  /** The address, once it is printed; fails when the program ends before. */
  address(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

/** The one file of `npm run build`, or a command that runs it: these tests are then about that, where they can be. */
const given = process.env.LINNET_PROGRAM?.split(' ');
/** The file that `npm test` builds for all of the suite, which has tests of the launcher and of a checkout, too. */
const built = process.env.LINNET_BUILT;

const entrance = given ?? (built === undefined ? [process.execPath, join(root, 'src', 'main.ts')] : [built]);

/** What begins a command of ours in a line of a shell. */
export const inShell = entrance.map((word) => `'${word}'`).join(' ');

/** Runs what `npm start` and `npm run linnet` run, as a process of its own, with nothing but the given settings in its environment. */
export const runProgram = (
  [word = '', ...rest]: string[],
  settings: Record<string, string>,
  stdin = '',
): Program => {
  const words = word === 'start' ? ['serve', ...rest] : rest;
  return run(given ? [...given, ...words] : ['node', 'scripts/launch.mjs', word, ...rest], settings, stdin);
};

/** The server without its launcher: what a test kills is then what it means. */
export const runServer = (settings: Record<string, string>, checkout = root): Program =>
  run(
    [...(checkout === root ? entrance : [process.execPath, 'src/main.ts']), 'serve'],
    settings,
    '',
    checkout,
  );

/** The one file that a test has built. */
export const runFile = (
  command: string[],
  settings: Record<string, string>,
  cwd: string,
  stdin = '',
): Program => run(command, settings, stdin, cwd);

/** A command of `npm run linnet` without its launcher. */
export const runCommand = (command: string[], settings: Record<string, string>, stdin = ''): Program =>
  run([...entrance, ...command], settings, stdin);

interface Limits {
  readonly soft: number;
  readonly hard: number;
}

/** The server, with so many open files at the most: the soft limit, and the hard one. A file may be run in it first. */
export const runServerWithin = (
  limits: Limits,
  settings: Record<string, string>,
  preload?: string,
): Program => {
  const { command, env } = preload === undefined ? { command: entrance, env: {} } : preloading(preload);
  return run([...within(limits), ...command, 'serve'], { ...env, ...settings }, '');
};

/** A file of tests in a process of its own, with so many open files at the most. */
export const runScriptWithin = (limits: Limits, file: string, settings: Record<string, string>): Program =>
  run([...within(limits), process.execPath, join(import.meta.dir, file)], settings, '');

const within = ({ soft, hard }: Limits): string[] => [
  'bash',
  '-c',
  `ulimit -Sn ${soft} && ulimit -Hn ${hard} && exec "$0" "$@"`,
];

/** A command of ours, or "serve", for which the disk is full as soon as a file has so many kilobytes. */
export const runWithFilesBelow = (
  kilobytes: number,
  words: string[],
  settings: Record<string, string>,
): Program =>
  run(['bash', '-c', `ulimit -f ${kilobytes} && exec "$0" "$@"`, ...entrance, ...words], settings, '');

/** The server as a user who may not listen below 1024; null where everybody may. */
export function runWithoutLowPorts(settings: Record<string, string>): Program | null {
  const first = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
  if (!existsSync(first) || Number(readFileSync(first, 'utf8')) < 1024) return null;
  const drop = ['setpriv', '--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service'];
  return run([...(process.getuid?.() === 0 ? drop : []), ...entrance, 'serve'], settings, '');
}

/** A file of tests, in a process of its own. */
export const runScript = (
  file: string,
  settings: Record<string, string>,
  words: readonly string[] = [],
): Program => run([process.execPath, join(import.meta.dir, file), ...words], settings, '');

/** The server, with a file of tests that is run in it first. */
export const runServerAfter = (file: string, settings: Record<string, string>): Program => {
  const { command, env } = preloading(file);
  return run([...command, 'serve'], { ...env, ...settings }, '');
};

/** The same from the sources, for a file that replaces modules of them. */
export const runSourcesAfter = (file: string, settings: Record<string, string>): Program =>
  run([...sourcesAfter(file), 'serve'], settings, '');

const sourcesAfter = (file: string): string[] => [
  process.execPath,
  '--preload',
  join(import.meta.dir, file),
  'src/main.ts',
];

/** The one file that `npm test` has built starts with half the CPU of the sources, and preloads what BUN_OPTIONS says. */
const preloading = (file: string): { command: string[]; env: Record<string, string> } =>
  built === undefined || given !== undefined
    ? { command: sourcesAfter(file), env: {} }
    : { command: [built], env: { BUN_OPTIONS: `"--preload=${join(import.meta.dir, file)}"` } };

function run(command: string[], settings: Record<string, string>, stdin: string, cwd = root): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH, HOME, FETCH_TITLES: 'off', ...settings },
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const printed = { out: '', err: '' };
  let wake = () => {};
  const drained = Promise.all([collect(child.stdout, 'out'), collect(child.stderr, 'err')]);
  async function collect(stream: ReadableStream<Uint8Array>, where: 'out' | 'err') {
    const decoder = new TextDecoder();
    for await (const part of stream) {
      printed[where] += decoder.decode(part, { stream: true });
      wake();
    }
  }
  const exited = child.exited.then(async (code) => {
    await drained;
    wake();
    return code;
  });
  return {
    pid: child.pid,
    output: () => printed,
    exited,
    kill: (signal) => child.kill(signal),
    async address() {
      for (;;) {
        const match = /listens on (\S+)/.exec(printed.out);
        if (match?.[1]) return match[1];
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${printed.err}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** What it has printed on standard error, without lines that only inform. */
export const problemsOf = (program: Program): string[] =>
  program
    .output()
    .err.split('\n')
    .filter((line) => line !== '' && !line.includes('"level":"info"'));

/** The exit code of a program that ends by itself; fails when it goes on. */
export async function endOf({ exited }: Program): Promise<number> {
  const codes: number[] = [];
  exited.then((code) => codes.push(code));
  await eventually(() => codes.length > 0, 'the end of the program');
  return exited;
}

export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'linnet-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
