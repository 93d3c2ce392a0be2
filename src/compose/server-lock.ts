import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';
import { type FileLock, lockFile } from '../storage/file-lock.ts';
import { prepareFolder } from '../store.ts';
import type { Log } from '../telemetry/log.ts';

/** Who holds a data folder, for the person who starts a second server on it. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Null while it starts and any free port was asked for. */
  readonly port: number | null;
}

export interface ServerLock {
  listensOn(port: number): void;
  release(): void;
}

/**
 * On SQLite a data folder has one server (with all its workers), for as long as that lives: two would each keep what the other
 * changes in their caches. The command line needs no lock: servers hear of what it does. Nodes on PostgreSQL may share a folder:
 * their journals have names of their own.
 */
export async function lockDataFolder(config: Config, log: Log): Promise<ServerLock> {
  if (config.databaseUrl !== null) return { listensOn() {}, release() {} };
  const folder = resolve(config.dataDir);
  await prepareFolder(folder);
  const file = join(folder, 'server.json');
  const lock = lockIn(folder, log);
  if (lock === null) throw new StartProblem(refusal(folder, holderIn(file)));
  const note = (port: number | null) => write(file, { ...self(), port }, log);
  note(config.port === 0 ? null : config.port);
  return {
    listensOn: note,
    release() {
      rmSync(file, { force: true });
      lock.release();
    },
  };
}

function lockIn(folder: string, log: Log): FileLock | null {
  try {
    return lockFile(join(folder, 'server.lock'));
  } catch (cause) {
    // Where files can't be locked, the database itself says what is wrong.
    log.warn('data folder not locked', { error: String(cause) });
    return { release() {} };
  }
}

const started = new Date(Date.now() - performance.now()).toISOString();

const self = () => ({ pid: process.pid, host: hostname(), since: started });

function write(file: string, holder: Holder, log: Log): void {
  try {
    writeFileSync(file, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (cause) {
    log.warn('data folder not marked', { error: String(cause) });
  }
}

/** Null where nothing useful is written. */
function holderIn(file: string): Holder | null {
  try {
    const { pid, host, since, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return null;
    return { pid, host, since, port: typeof port === 'number' ? port : null };
  } catch {
    return null;
  }
}

function refusal(folder: string, holder: Holder | null): string {
  return `The data folder ${folder} is in use by another Linnet${holder === null ? '' : wordsOf(holder)}. Stop that one, or set DATA_DIR to another folder.`;
}

function wordsOf({ pid, host, since, port }: Holder): string {
  const place = host === hostname() ? '' : ` on ${host}`;
  return `: process ${pid}${place}, since ${since}${port === null ? '' : `, on port ${port}`}`;
}
