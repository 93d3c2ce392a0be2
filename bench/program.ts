import { join } from 'node:path';
import startEnvironment from '../scripts/start-environment.json' with { type: 'json' };
import { killOnExit } from './exit-cleanup.ts';

const root = join(import.meta.dir, '..');
const timeout = 15_000;

/** A server on this machine. */
export interface Listening {
  readonly port: number;
}

/** A server in its own process, on a port that it chose. */
export interface Program extends Listening, AsyncDisposable {
  readonly pid: number;
}

/** Starts Linnet the way `npm start` does. `main`: of this checkout or of another. */
export const startLinnet = (
  dataDir: string,
  databaseUrl = '',
  settings: Record<string, string> = {},
  main = 'src/main.ts',
): Promise<Program> =>
  startScript([main, 'serve'], {
    ...startEnvironment,
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    MISS_LIMIT: '0',
    ...settings,
  });

/** Runs a script that first prints the address it listens on. */
export const startScript = (
  script: string | readonly string[],
  settings: Record<string, string>,
): Promise<Program> => startProgram([process.execPath, ...[script].flat()], settings);

/** Runs a program that first prints the address it listens on. */
export async function startProgram(
  command: readonly string[],
  settings: Record<string, string>,
): Promise<Program> {
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn([...command], {
    cwd: root,
    env: { PATH, HOME, ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  killOnExit(child);
  return {
    port: await portOf(command.join(' '), child.stdout),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), timeout);
      await child.exited;
      clearTimeout(killTimer);
    },
  };
}

async function portOf(script: string, output: ReadableStream<Uint8Array>): Promise<number> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${script} ended before it listened. ${text}`);
    text += decoder.decode(value, { stream: true });
    const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
}
