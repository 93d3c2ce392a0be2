import { expect } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const root = join(import.meta.dir, '..', '..');

export interface Program {
  readonly pid: number;
  /** What it has printed so far, on standard output and standard error. */
  output(): { out: string; err: string };
  /** The address, once it is printed; rejects if the program exits before. */
  address(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

/** The one file of `npm run build`, or a command that runs it: where possible, the tests then run this program. */
const programUnderTest = process.env.LINNET_PROGRAM?.split(' ');
/** The file that `npm test` builds for the whole suite. Tests of the launcher and of a checkout don't use it. */
const built = process.env.LINNET_BUILT;

const launchCommand =
  programUnderTest ?? (built === undefined ? [process.execPath, join(root, 'src', 'main.ts')] : [built]);

/** The program as the first words of a shell command. */
export const shellCommand = launchCommand.map((word) => `'${word}'`).join(' ');

/** Runs what `npm start` and `npm run linnet` run, in its own process, with only the given settings in its environment. */
export const runProgram = (
  [word = '', ...rest]: string[],
  settings: Record<string, string>,
  stdin = '',
): Program => {
  const words = word === 'start' ? ['serve', ...rest] : rest;
  return run(
    programUnderTest ? [...programUnderTest, ...words] : ['node', 'scripts/launch.mjs', word, ...rest],
    settings,
    stdin,
  );
};

/** Runs the server without its launcher, so that a signal reaches the server itself. */
export const runServer = (settings: Record<string, string>, checkout = root): Program =>
  run(
    [...(checkout === root ? launchCommand : [process.execPath, 'src/main.ts']), 'serve'],
    settings,
    '',
    checkout,
  );

/** Runs the one file that a test has built. */
export const runFile = (
  command: string[],
  settings: Record<string, string>,
  cwd: string,
  stdin = '',
): Program => run(command, settings, stdin, cwd);

/** Runs a command of `npm run linnet` without its launcher. */
export const runCommand = (
  command: string[],
  settings: Record<string, string>,
  stdin: string | Uint8Array<ArrayBuffer> = '',
): Program => run([...launchCommand, ...command], settings, stdin);

/** Runs the server with its output redirected, in the words of bash. */
export const runServerRedirected = (redirection: string, settings: Record<string, string>): Program =>
  run(['bash', '-c', `exec "$0" "$@" ${redirection}`, ...launchCommand, 'serve'], settings, '');

interface Limits {
  readonly soft: number;
  readonly hard: number;
}

/** Runs the server with a soft and a hard limit of open files; may preload a file. */
export const runServerWithFileLimit = (
  limits: Limits,
  settings: Record<string, string>,
  preload?: string,
): Program => {
  const { command, env } = preload === undefined ? { command: launchCommand, env: {} } : preloading(preload);
  return run([...within(limits), ...command, 'serve'], { ...env, ...settings }, '');
};

/** Runs a script of test/support in its own process, with a soft and a hard limit of open files. */
export const runScriptWithFileLimit = (
  limits: Limits,
  file: string,
  settings: Record<string, string>,
): Program => run([...within(limits), process.execPath, join(import.meta.dir, file)], settings, '');

const within = ({ soft, hard }: Limits): string[] => [
  'bash',
  '-c',
  `ulimit -Sn ${soft} && ulimit -Hn ${hard} && exec "$0" "$@"`,
];

/** Runs a command, or "serve", with a maximum file size: a write beyond it fails, as on a full disk. */
export const runWithFileSizeLimit = (
  kilobytes: number,
  words: string[],
  settings: Record<string, string>,
): Program =>
  run(['bash', '-c', `ulimit -f ${kilobytes} && exec "$0" "$@"`, ...launchCommand, ...words], settings, '');

/** Runs the server as a user who may not listen on ports below 1024; null where every user may. */
export function runWithoutLowPorts(settings: Record<string, string>): Program | null {
  const first = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
  if (!existsSync(first) || Number(readFileSync(first, 'utf8')) < 1024) return null;
  const drop = ['setpriv', '--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service'];
  return run([...(process.getuid?.() === 0 ? drop : []), ...launchCommand, 'serve'], settings, '');
}

/** Runs the server, or a command, as root, without the right to use files of other users. */
export const runWithoutOthersFiles = (settings: Record<string, string>, words = ['serve']): Program => {
  const rights = ['chown', 'dac_override', 'dac_read_search', 'fowner'].map((right) => `-${right}`).join(',');
  return run(
    ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`, ...launchCommand, ...words],
    settings,
    '',
  );
};

/** Runs a script of test/support in its own process. */
export const runScript = (
  file: string,
  settings: Record<string, string>,
  words: readonly string[] = [],
): Program => run([process.execPath, join(import.meta.dir, file), ...words], settings, '');

/** Runs the server with a preloaded script of test/support. */
export const runServerWithPreload = (file: string, settings: Record<string, string>): Program => {
  const { command, env } = preloading(file);
  return run([...command, 'serve'], { ...env, ...settings }, '');
};

/** The same from the sources, for a script that replaces modules. */
export const runSourcesWithPreload = (file: string, settings: Record<string, string>): Program =>
  run([...sourcesAfter(file), 'serve'], settings, '');

const sourcesAfter = (file: string): string[] => [
  process.execPath,
  '--preload',
  join(import.meta.dir, file),
  'src/main.ts',
];

/** The one file that `npm test` has built starts with half the CPU of the sources; BUN_OPTIONS makes it preload the script. */
const preloading = (file: string): { command: string[]; env: Record<string, string> } =>
  built === undefined || programUnderTest !== undefined
    ? { command: sourcesAfter(file), env: {} }
    : { command: [built], env: { BUN_OPTIONS: `"--preload=${join(import.meta.dir, file)}"` } };

function run(
  command: string[],
  settings: Record<string, string>,
  stdin: string | Uint8Array<ArrayBuffer>,
  cwd = root,
): Program {
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

/** The lines on standard error, without those of the level info. */
export const problemsOf = (program: Program): string[] =>
  program
    .output()
    .err.split('\n')
    .filter((line) => line !== '' && !line.includes('"level":"info"'));

/** Stops programs as a service manager does: each must end without an error. */
export async function stop(...programs: Program[]): Promise<void> {
  for (const program of programs) program.kill('SIGTERM');
  for (const program of programs) expect(await program.exited).toBe(0);
}

/** The exit code, the output and the error output of a program that exits by itself. */
export async function resultOf(program: Program): Promise<[code: number, out: string, err: string]> {
  const code = await program.exited;
  const { out, err } = program.output();
  return [code, out, err];
}

/** The exit code of a program that exits by itself; fails if it keeps running. */
export async function exitCodeOf({ exited }: Program): Promise<number> {
  const codes: number[] = [];
  exited.then((code) => codes.push(code));
  await eventually(() => codes.length > 0, 'the program to exit');
  return exited;
}

export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'linnet-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
