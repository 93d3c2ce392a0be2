import { SQL } from 'bun';

/** One server for all tests of a process. */
const shared = globalThis as { linnetTestPostgres?: Promise<string> | undefined };

/** A server with a life of its own. Its files can be kept, and it can go back to them. */
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

  /** The address of its first database, once it accepts connections. To be asked for once. */
  async url(): Promise<string> {
    const { value, done } = await this.#reader.read();
    if (done) throw new Error('PostgreSQL did not start');
    return new TextDecoder().decode(value).trim();
  }

  /** Stopped for a moment, it keeps a copy of its files. */
  keep(): Promise<string> {
    return this.#do('keep');
  }

  /** It goes on from the files that were kept. */
  restore(): Promise<string> {
    return this.#do('restore');
  }

  /** A replica that is as far as the files that were kept takes its place, and is promoted. */
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

/** The address of a new, empty database. */
export const freshPostgres = (): Promise<string> => copyOfPostgres('template1');

/** The address of a new database that has what another one has, to which nothing may be connected. */
export async function copyOfPostgres(template: string): Promise<string> {
  const isFirst = shared.linnetTestPostgres === undefined;
  try {
    return await createDatabase(template);
  } catch (cause) {
    if (isFirst || (cause as { code?: string }).code !== 'ERR_POSTGRES_CONNECTION_REFUSED') throw cause;
    // A test that takes too long ends with all processes that its process has started.
    shared.linnetTestPostgres = undefined;
    return createDatabase(template);
  }
}

async function createDatabase(template: string): Promise<string> {
  shared.linnetTestPostgres ??= start();
  const url = await shared.linnetTestPostgres;
  const name = `test_${process.pid}_${++databases}`;
  const admin = new SQL({ url, max: 1 });
  await admin.unsafe(`create database ${name} template ${template}`);
  await admin.end();
  return url.replace(/\/postgres$/, `/${name}`);
}
