import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';
import { type FileLock, lockFile } from '../storage/file-lock.ts';
import { prepareFolder } from '../store.ts';
import type { Log } from '../telemetry/log.ts';

/** The process that holds a data folder, for the error message of a second one. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Null while it starts on any free port. */
  readonly port: number | null;
}

interface ServerLock extends Disposable {
  listensOn(port: number): void;
}

/**
 * On SQLite a data folder belongs to one server (with all its workers) while it runs: a second one would serve stale caches. The
 * command line needs no lock, because the server follows its changes. Nodes on PostgreSQL may share a folder: their journals have
 * different names.
 */
export async function lockDataFolder(config: Config, log: Log): Promise<ServerLock> {
  if (config.databaseUrl !== null) return { listensOn() {}, [Symbol.dispose]() {} };
  const folder = resolve(config.dataDir);
  await prepareFolder(folder);
  const file = join(folder, 'server.json');
  // Where files can't be locked, the database reports a second server.
  const unlocked: FileLock = { release() {} };
  const lock = orWarn(log, 'data folder not locked', () => lockFile(join(folder, 'server.lock')), unlocked);
  if (lock === null) throw new StartProblem(refusal(folder, holderIn(file)));
  const writeHolder = (port: number | null) => {
    const text = `${JSON.stringify({ ...thisProcess(), port })}\n`;
    orWarn(log, 'data folder not marked', () => writeFileSync(file, text, { mode: 0o600 }), undefined);
  };
  writeHolder(config.port === 0 ? null : config.port);
  return {
    listensOn: writeHolder,
    [Symbol.dispose]() {
      // On a disk that has become read-only the file stays, and the next start finds that its process has ended.
      orWarn(log, 'data folder still marked', () => rmSync(file, { force: true }), undefined);
      lock.release();
    },
  };
}

function orWarn<T>(log: Log, event: string, work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (cause) {
    log.warn(event, { error: String(cause) });
    return otherwise;
  }
}

const started = new Date(Date.now() - performance.now()).toISOString();

const thisProcess = () => ({ pid: process.pid, host: hostname(), since: started });

/** Null if the file is missing or damaged. */
function holderIn(file: string): Holder | null {
  try {
    const { pid, host, since, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return null;
    return { pid, host, since, port: typeof port === 'number' ? port : null };
  } catch {
    return null;
  }
}

/** The port of the server that runs on this folder, if known. */
export function portOfServer(folder: string): number | null {
  const holder = holderIn(join(folder, 'server.json'));
  return holder !== null && mayRun(holder) ? holder.port : null;
}

/** A server that was killed leaves its file. On another host it can't be looked for. */
function mayRun({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function refusal(folder: string, holder: Holder | null): string {
  return `The data folder ${folder} is in use by another Linnet${holder === null ? '' : describe(holder)}. Stop that one, or set DATA_DIR to another folder.`;
}

function describe({ pid, host, since, port }: Holder): string {
  const onHost = host === hostname() ? '' : ` on ${host}`;
  return `: process ${pid}${onHost}, since ${since}${port === null ? '' : `, on port ${port}`}`;
}
