import { SQL } from 'bun';

/** One server for all tests of a process. */
const shared = globalThis as { linnetTestPostgres?: Promise<string> | undefined };

/** A server process whose files can be saved and restored. */
export class PostgresServer {
  readonly #server = Bun.spawn(['node', `${import.meta.dir}/postgres-server.mjs`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  readonly #reader = this.#server.stdout.getReader();

  constructor() {
    this.#server.unref();
  }

  /** The URL of its first database, once it accepts connections. May be read only once. */
  async url(): Promise<string> {
    const { value, done } = await this.#reader.read();
    if (done) throw new Error('PostgreSQL did not start');
    return new TextDecoder().decode(value).trim();
  }

  /** Stops the server briefly to copy its files; returns its URL. */
  saveFiles(): Promise<string> {
    return this.#do('keep');
  }

  /** Restarts the server on the files that were saved. */
  restoreFiles(): Promise<string> {
    return this.#do('restore');
  }

  /** Replaces the server by a replica at the state of the saved files, and promotes it. */
  async promoteReplica(): Promise<void> {
    const admin = new SQL({ url: await this.#do('standby'), max: 1 });
    await admin.unsafe('select pg_promote(true, 60)');
    await admin.end();
  }

  async stop(): Promise<void> {
    await this.#server.stdin.end();
    await this.#server.exited;
  }

  #do(command: string): Promise<string> {
    this.#server.stdin.write(`${command}\n`);
    this.#server.stdin.flush();
    return this.url();
  }
}

const start = (): Promise<string> => new PostgresServer().url();

let databases = 0;

/** The URL of a new, empty database. */
export const freshPostgres = (): Promise<string> => copyOfPostgres('template1');

/** The URL of a new database copied from another one, which must have no connections. */
export async function copyOfPostgres(template: string): Promise<string> {
  const isFirst = shared.linnetTestPostgres === undefined;
  try {
    return await createDatabase(template);
  } catch (cause) {
    if (isFirst || (cause as { code?: string }).code !== 'ERR_POSTGRES_CONNECTION_REFUSED') throw cause;
    // When a test times out, the runner kills all processes that were started by its process, and with them the server.
    shared.linnetTestPostgres = undefined;
    return createDatabase(template);
  }
}

async function createDatabase(template: string): Promise<string> {
  shared.linnetTestPostgres ??= start();
  const url = await shared.linnetTestPostgres;
  const name = `test_${process.pid}_${++databases}`;
  const admin = new SQL({ url, max: 1 });
  // Its files are copied, which takes two thirds of the CPU of logging each page.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  await admin.end();
  return url.replace(/\/postgres$/, `/${name}`);
}
