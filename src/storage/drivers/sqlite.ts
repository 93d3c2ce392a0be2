import { join } from 'node:path';
import { StoreAway } from '../../rules/errors.ts';
import type { Database, Lookups, RowFinder, Statement } from '../database.ts';
import type { Queries } from '../schema.ts';
import { queriesOver, SqliteInline, SqliteThread } from './sqlite-client.ts';
import { SqliteReaders } from './sqlite-readers.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}
interface Job extends Waiting {
  readonly work: (queries: Queries) => Promise<unknown>;
}
interface WholeTransaction extends Waiting {
  readonly statements: readonly Statement[];
}
type Change = Job | WholeTransaction;

/** How many changes share one commit, and so one wait for the disk. */
const maxPerCommit = 64;
const maxWaiting = 2_000;

/**
 * One writer, as SQLite has it. Changes that arrive while the disk is busy wait together and are committed
 * together, each behind a savepoint of its own, so that one that fails takes nobody with it.
 *
 * Statements reach the thread in the order in which they are sent, so those that frame a job go along with the next
 * one, and nobody waits for them. None of them can run outside: the thread refuses what has lost its transaction.
 */
class Writer {
  readonly #client: SqliteThread;
  readonly #queries: Queries;
  #waiting: Change[] = [];
  #turn: Promise<void> | undefined;

  constructor(client: SqliteThread) {
    this.#client = client;
    this.#queries = queriesOver({ run: (sql, parameters) => client.run(sql, parameters, true) });
  }

  run<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#enqueue((waiting) => ({ ...waiting, work }));
  }

  /** A transaction of its own: it shares neither its message nor its commit. */
  runWhole(statements: readonly Statement[]): Promise<unknown[][]> {
    return this.#enqueue((waiting) => ({ ...waiting, statements }));
  }

  #enqueue<T>(change: (waiting: Waiting) => Change): Promise<T> {
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new StoreAway('too many changes are waiting'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(change({ resolve: resolve as (value: unknown) => void, reject }));
      this.#turn ??= this.#drain();
    });
  }

  /** With what it takes to undo and to sort on disk, not in memory: that may be as much as the tables hold. */
  async migrate<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    while (this.#turn) await this.#turn;
    const onDisk = this.#client.hold('pragma temp_store = file', []);
    try {
      const [value] = await Promise.all([this.run(work), onDisk]);
      return value;
    } finally {
      while (this.#turn) await this.#turn;
      await this.#client.run('pragma temp_store = memory', []);
    }
  }

  async finish(): Promise<void> {
    while (this.#turn) await this.#turn;
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if ('statements' in next) {
        this.#waiting.shift();
        await this.#client.runWhole(next.statements).then(next.resolve, next.reject);
      } else await this.#commit(this.#takeJobs());
    }
    this.#turn = undefined;
  }

  /** Those at the head of the queue that may share a commit. */
  #takeJobs(): readonly Job[] {
    const end = this.#waiting.findIndex((change, index) => index === maxPerCommit || 'statements' in change);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end) as Job[];
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const frame = new Frame(this.#client);
    const outcomes: (() => void)[] = [];
    try {
      frame.send('begin immediate', false);
      const [first] = jobs;
      if (first && jobs.length === 1) outcomes.push(await this.#alone(first));
      else for (const job of jobs) outcomes.push(await this.#attempt(job, frame));
      await frame.end('commit');
    } catch (cause) {
      const undone = this.#client.run('rollback', [], true).catch(() => {});
      await frame.settled();
      await undone;
      for (const job of jobs) job.reject(cause);
      return;
    }
    for (const settle of outcomes) settle();
  }

  /** What goes wrong with it undoes the whole transaction: a savepoint, which keeps a copy of every page, is spared. */
  async #alone(job: Job): Promise<() => void> {
    const value = await job.work(this.#queries);
    return () => job.resolve(value);
  }

  async #attempt(job: Job, frame: Frame): Promise<() => void> {
    frame.send('savepoint job');
    try {
      const value = await job.work(this.#queries);
      frame.send('release job');
      return () => job.resolve(value);
    } catch (cause) {
      // A full disk ends the whole transaction by itself; then nothing of this turn was done.
      if (cause instanceof StoreAway) throw cause;
      frame.send('rollback to job');
      frame.send('release job');
      return () => job.reject(cause);
    }
  }
}

/** The statements around the jobs of one transaction, sent at once and looked at before it counts as done. */
class Frame {
  readonly #client: SqliteThread;
  readonly #sent: Promise<unknown>[] = [];

  constructor(client: SqliteThread) {
    this.#client = client;
  }

  /** Goes with the next statement of the job, or with the end. */
  send(sql: string, inside = true): void {
    const sent = this.#client.hold(sql, [], inside);
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  end(sql: string): Promise<unknown> {
    const last = this.#client.run(sql, [], true);
    return Promise.all([...this.#sent, last]);
  }

  settled(): Promise<unknown> {
    return Promise.allSettled(this.#sent);
  }
}

const fileIn = (dataDir: string): string => join(dataDir, 'linnet.sqlite');

export interface SqliteLookups extends Pick<Lookups, 'queries' | 'close'> {
  readonly rowFinder: RowFinder;
}

export function openSqliteLookups(dataDir: string): SqliteLookups {
  const client = new SqliteInline(fileIn(dataDir));
  return {
    queries: queriesOver(client),
    rowFinder: (sql) => client.rowFinder(sql),
    close: async () => client.close(),
  };
}

export async function openSqlite(dataDir: string): Promise<Database> {
  const file = fileIn(dataDir);
  const writing = await SqliteThread.open(file, 'write');
  const readers = await SqliteReaders.open((states) => SqliteThread.open(file, 'read', states));
  const lookup = new SqliteInline(file);
  const writer = new Writer(writing);
  return {
    kind: 'sqlite',
    read: queriesOver(readers),
    readFor: (terms) => queriesOver({ run: (sql, parameters) => readers.run(sql, parameters, terms) }),
    lookup: queriesOver(lookup),
    write: (work) => writer.run(work),
    writeWhole: (statements) => writer.runWhole(statements),
    migrate: (work) => writer.migrate(work),
    async close() {
      await writer.finish();
      lookup.close();
      await readers.close();
      await writing.close();
    },
  };
}
