import { join } from 'node:path';
import type { Database } from '../database.ts';
import { StoreAway } from '../database.ts';
import type { Queries } from '../schema.ts';
import { queriesOver, type SqliteClient, SqliteInline, SqliteThread } from './sqlite-client.ts';

interface Job {
  readonly work: (queries: Queries) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** How many changes share one commit, and so one wait for the disk. */
const mostPerCommit = 64;

/**
 * One writer, as SQLite has it. Changes that arrive while the disk is busy wait together and are committed
 * together, each behind a savepoint of its own, so that one that fails takes nobody with it.
 */
class Writer {
  readonly #client: SqliteClient;
  readonly #queries: Queries;
  #waiting: Job[] = [];
  #turn: Promise<void> | undefined;

  constructor(client: SqliteClient) {
    this.#client = client;
    this.#queries = queriesOver(client);
  }

  run<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#turn ??= this.#drain();
    });
  }

  async finish(): Promise<void> {
    while (this.#turn) await this.#turn;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, mostPerCommit));
    this.#turn = undefined;
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const outcomes: (() => void)[] = [];
    try {
      await this.#client.run('begin immediate', []);
      for (const job of jobs) outcomes.push(await this.#savepoint(job));
      await this.#client.run('commit', []);
    } catch (cause) {
      await this.#rollback();
      for (const job of jobs) job.reject(cause);
      return;
    }
    for (const settle of outcomes) settle();
  }

  async #savepoint(job: Job): Promise<() => void> {
    await this.#client.run('savepoint job', []);
    try {
      const value = await job.work(this.#queries);
      await this.#client.run('release job', []);
      return () => job.resolve(value);
    } catch (cause) {
      // A full disk ends the whole transaction by itself; then nothing of this turn was done.
      if (cause instanceof StoreAway) throw cause;
      await this.#client.run('rollback to job', []);
      await this.#client.run('release job', []);
      return () => job.reject(cause);
    }
  }

  async #rollback(): Promise<void> {
    try {
      await this.#client.run('rollback', []);
    } catch {
      // SQLite had rolled back already.
    }
  }
}

export async function openSqlite(dataDir: string): Promise<Database> {
  const file = join(dataDir, 'linnet.sqlite');
  const writing = await SqliteThread.open(file, 'write');
  const reading = await SqliteThread.open(file, 'read');
  const lookup = new SqliteInline(file);
  const writer = new Writer(writing);
  return {
    kind: 'sqlite',
    read: queriesOver(reading),
    lookup: queriesOver(lookup),
    write: (work) => writer.run(work),
    async close() {
      await writer.finish();
      lookup.close();
      await reading.close();
      await writing.close();
    },
  };
}
