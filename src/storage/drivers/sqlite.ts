import { join } from 'node:path';
import { StoreUnavailable } from '../../rules/errors.ts';
import type { Database, LookupItems, WriteItems } from '../database.ts';
import { collectForCommit, type Statement } from '../prepared.ts';
import type { Queries } from '../schema.ts';
import { queriesOver, SqliteThread } from './sqlite-client.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteReaders } from './sqlite-readers.ts';
import { type ChangeGroup, type Settle, WriteBatcher } from './write-batcher.ts';

/** Sends a statement with the next one of a change, or with the end of the transaction. */
type SendFrame = (sql: string, parameters?: readonly unknown[]) => void;

/**
 * One writer, as SQLite requires. Changes that share a commit, and so one wait for the disk, have a savepoint of their own each:
 * one that fails doesn't undo the others.
 *
 * Statements reach the thread in the order in which they are sent, so those that frame a change are sent along with its first
 * statement, without waiting for them. None of them can run outside a transaction: the thread refuses statements that
 * have lost theirs.
 */
class Writer {
  readonly #client: SqliteThread;
  readonly #queries: Queries;
  readonly #batcher = new WriteBatcher((groups) => this.#commit(groups), 1);
  /** Statements of the current change that are sent with the commit. */
  readonly #last: (readonly Statement[])[] = [];

  constructor(client: SqliteThread) {
    this.#client = client;
    this.#queries = queriesOver({ run: (sql, parameters) => client.run(sql, parameters, true) });
    collectForCommit(this.#queries, this.#last);
  }

  run<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#batcher.add(null, async (queries) => [await work(queries)]);
  }

  runBatched<Item, Outcome>(item: Item, work: WriteItems<Item, Outcome>): Promise<Outcome> {
    return this.#batcher.add(item, work);
  }

  /** Keeps undo and sort data on disk, not in memory: they may be as large as the tables. */
  async migrate<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    while (!this.#batcher.isIdle) await this.#batcher.whenIdle;
    const onDisk = this.#client.hold('pragma temp_store = file', []);
    try {
      const [value] = await Promise.all([this.run(work), onDisk]);
      return value;
    } finally {
      while (!this.#batcher.isIdle) await this.#batcher.whenIdle;
      // Sent together: during a change that began between them the second one would fail.
      await Promise.all([
        this.#client.run('pragma temp_store = memory', []),
        // Its tables may have contained data that must not remain in the log.
        this.#client.run('pragma wal_checkpoint(truncate)', []),
      ]);
    }
  }

  async finish(): Promise<void> {
    while (!this.#batcher.isIdle) await this.#batcher.whenIdle;
  }

  async #commit(groups: readonly ChangeGroup[]): Promise<readonly Settle[]> {
    // The statements around the changes, sent at once and checked before the transaction counts as done.
    const frame: Promise<unknown>[] = [];
    const send: SendFrame = (sql, parameters = []) => {
      const answer = this.#client.hold(sql, parameters, sql !== 'begin immediate');
      answer.catch(() => {});
      frame.push(answer);
    };
    const settles: Settle[] = [];
    try {
      send('begin immediate');
      const [first] = groups;
      // A failure undoes the whole transaction, so no savepoint, which keeps a copy of every page, is needed.
      if (first && groups.length === 1) {
        if (first.makePipelined) return [await this.#pipelined(first, first.makePipelined, frame)];
        settles.push(await first.make(this.#queries));
      } else for (const group of groups) settles.push(await this.#attempt(group, send));
      for (const { sql, parameters } of this.#last.splice(0).flat()) send(sql, parameters);
      await Promise.all([...frame, this.#client.commit()]);
    } catch (cause) {
      this.#last.length = 0;
      const rollback = this.#client.run('rollback', [], true).catch(() => {});
      await Promise.allSettled(frame);
      await rollback;
      throw cause;
    }
    return settles;
  }

  /** `make` has sent all its statements when it returns: with the frame and the commit they are one message. */
  async #pipelined(
    { changes }: ChangeGroup,
    make: NonNullable<ChangeGroup['makePipelined']>,
    frame: readonly Promise<unknown>[],
  ): Promise<Settle> {
    const both = Promise.allSettled([make(this.#queries), this.#client.commit()]);
    await Promise.all(frame);
    const [made, committed] = await both;
    if (committed.status === 'rejected') throw made.status === 'rejected' ? made.reason : committed.reason;
    if (made.status === 'fulfilled') return made.value;
    const { reason } = made;
    // They are stored: a second try would store them again.
    return () => {
      for (const { reject } of changes) reject(reason);
    };
  }

  async #attempt(group: ChangeGroup, send: SendFrame): Promise<Settle> {
    send('savepoint change');
    try {
      const settle = await group.make(this.#queries);
      const last = this.#last.splice(0).flat();
      await Promise.all(last.map(({ sql, parameters }) => this.#client.run(sql, parameters, true)));
      send('release change');
      return settle;
    } catch (cause) {
      this.#last.length = 0;
      // A full disk ends the whole transaction by itself; then nothing of this batch was done. Several changes are retried one by one.
      if (cause instanceof StoreUnavailable || group.changes.length > 1) throw cause;
      send('rollback to change');
      send('release change');
      return () => group.changes[0]?.reject(cause);
    }
  }
}

const fileIn = (dataDir: string): string => join(dataDir, 'linnet.sqlite');

export function openSqliteLookups(dataDir: string) {
  const connection = new SqliteConnection(fileIn(dataDir), 'read');
  return {
    queries: queriesOver(connection),
    rowFinder: <Row>(sql: string) => connection.rowFinder<Row>(sql),
    close: async () => connection.close(),
  };
}

/** Changes with each commit by another connection, also of other processes. NaN, which equals nothing, if it can't be read. */
function dataVersionOf(connection: SqliteConnection): () => number {
  const find = connection.rowFinder<{ readonly data_version: number }>('pragma data_version');
  return () => {
    try {
      return find()?.data_version ?? Number.NaN;
    } catch {
      // The read that follows fails, too, with the right error.
      return Number.NaN;
    }
  };
}

export async function openSqlite(dataDir: string, onEnded: (cause: Error) => void): Promise<Database> {
  const file = fileIn(dataDir);
  const writing = await SqliteThread.open(file, 'write', onEnded);
  const readers = await SqliteReaders.open((states) => SqliteThread.open(file, 'read', onEnded, states));
  const lookup = new SqliteConnection(file, 'read');
  const lookups = queriesOver(lookup);
  const writer = new Writer(writing);
  return {
    kind: 'sqlite',
    read: queriesOver(readers),
    readFor: (terms) => queriesOver({ run: (sql, parameters) => readers.run(sql, parameters, terms) }),
    compute: (module, input) => readers.compute(module, input),
    computeFor: (terms) => (module, input) => readers.compute(module, input, terms),
    lookup: lookups,
    dataVersion: dataVersionOf(lookup),
    // In this thread, each lookup is done before the next one begins.
    lookupBatched: async <Item, Answer>(item: Item, work: LookupItems<Item, Answer>) =>
      (await work(lookups, [item]))[0] as Answer,
    takesChanges: async () => true,
    write: (work) => writer.run(work),
    writeBatched: (item, work) => writer.runBatched(item, work),
    migrate: (work) => writer.migrate(work),
    outsideTransaction: null,
    // All programs on a file have the same version: they run on one server.
    refuseChanges: () => {},
    async close() {
      await writer.finish();
      lookup.close();
      await readers.close();
      await writing.close();
    },
  };
}
