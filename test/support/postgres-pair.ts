import { readFileSync } from 'node:fs';
import { SQL } from 'bun';
import { eventually } from './eventually.ts';

interface PostgresServer {
  readonly url: string;
  readonly pid: number;
}

/** Two servers; the second is a streaming standby of the first. */
export class PostgresPair implements AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  readonly #process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  #frozen: readonly number[] = [];

  private constructor(
    process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>,
    servers: readonly PostgresServer[],
  ) {
    const [primary, standby] = servers;
    if (!primary?.url || !standby?.url) throw new Error(`no two servers: ${JSON.stringify(servers)}`);
    [this.#process, this.primary, this.standby] = [process, primary, standby];
  }

  static async start(): Promise<PostgresPair> {
    const process = Bun.spawn(['node', `${import.meta.dir}/postgres-pair.mjs`], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    process.unref();
    const { value } = await process.stdout.getReader().read();
    return new PostgresPair(process, JSON.parse(new TextDecoder().decode(value)));
  }

  /** The DATABASE_URL that names both. */
  get url(): string {
    const [one, other] = [new URL(this.primary.url), new URL(this.standby.url)];
    return `postgres://linnet@${one.host},${other.host}/postgres?target_session_attrs=read-write`;
  }

  /** Waits until the standby has everything that the primary has committed. */
  async waitForStandby(): Promise<void> {
    const [row] = await queryPostgres(this.primary.url, 'select pg_current_wal_lsn()::text as at');
    await eventually(async () => {
      const [found] = await queryPostgres(
        this.standby.url,
        `select coalesce(pg_last_wal_replay_lsn() >= '${row?.at}'::pg_lsn, false) as is_there`,
      );
      return found?.is_there === true;
    }, 'the standby to have what the primary has');
  }

  /** Kills or freezes the primary: the server process and each of its backends. */
  signalPrimary(signal: 'SIGKILL' | 'SIGSTOP'): void {
    const { pid } = this.primary;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const all = [pid, ...children.map(Number)];
    for (const id of all) process.kill(id, signal);
    if (signal === 'SIGSTOP') this.#frozen = all;
  }

  async promote(): Promise<void> {
    await queryPostgres(this.standby.url, 'select pg_promote()');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    await this.#process.exited;
    // Backends end once they run again and find their server killed.
    for (const id of this.#frozen) {
      try {
        process.kill(id, 'SIGCONT');
      } catch {}
    }
  }
}

/** Queries a server over a connection of its own. */
export async function queryPostgres(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = new SQL({ url, max: 1 });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
