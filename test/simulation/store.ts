import { Database as Sqlite } from 'bun:sqlite';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../src/journal/files.ts';
import type { DeliveriesOf, FoldBatch, FoldStore } from '../../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../../src/ledger/stores/sqlite-fold-store.ts';
import { StoreUnavailable } from '../../src/rules/errors.ts';
import type { Database } from '../../src/storage/database.ts';
import { queriesOver } from '../../src/storage/drivers/sqlite-client.ts';
import { SqliteConnection } from '../../src/storage/drivers/sqlite-connection.ts';
import type { Queries } from '../../src/storage/schema.ts';
import type { World } from './world.ts';

/** The state of the store at a time. */
export interface Snapshot {
  readonly at: number;
  readonly bytes: Uint8Array;
}

interface OpenStore {
  readonly fold: SqliteFoldStore;
  readonly connection: SqliteConnection;
}

/** The probability of each fault, per call. */
export interface StoreFaults {
  readonly refused: number;
  /** The call is executed, but its response is lost. */
  readonly lostResponses: number;
  /** The call is executed some time after it has failed for the caller. */
  readonly late: number;
  /** The calling process is killed. */
  readonly kills: number;
}

export const noFaults: StoreFaults = { refused: 0, lostResponses: 0, late: 0, kills: 0 };

/** One database for all nodes, behind a network: a real SQLite file that can return to an earlier state. */
export class SimulatedStore {
  readonly #world: World;
  readonly #file: string;
  readonly #folder: string;
  readonly database: Database;
  faults = noFaults;
  isUnavailable = false;
  #openStore: OpenStore;
  /** Changes with each promotion: calls that were in transit to the earlier server never reach the new one. */
  #epoch = 0;
  #lastTransaction: Promise<unknown> = Promise.resolve();

  constructor(world: World, folder: string) {
    this.#world = world;
    this.#folder = folder;
    this.#file = join(folder, 'linnet.sqlite');
    this.#openStore = this.#connect();
    this.database = this.#createDatabase();
  }

  /** The store for the fold of one thread. */
  foldStore(): FoldStore {
    return new Proxy({} as FoldStore, {
      get: (_, name: keyof FoldStore) => {
        if (name === 'minByLink') return this.#openStore.fold.minByLink;
        if (name === 'batchLength') return () => this.#world.pick([1, 3, 20, 5_000]);
        if (name === 'close') return async () => {};
        if (name === 'serverNow') return () => this.#call(async () => this.#world.instant);
        if (name === 'watermark')
          return (journal: string) => this.#read(async () => this.#watermark(journal));
        return (...values: unknown[]) =>
          this.#call(() => {
            const parameters =
              name === 'fold' ? this.#withKills(values as [FoldBatch, DeliveriesOf]) : values;
            // biome-ignore lint/complexity/noBannedTypes: the caller of each method has checked the types
            return (this.#openStore.fold[name] as Function).apply(
              this.#openStore.fold,
              parameters,
            ) as Promise<unknown>;
          });
      },
    });
  }

  rows<Row>(sql: string): readonly Row[] {
    return this.#openStore.connection.rows<Row>(sql, []);
  }

  async snapshot(): Promise<Snapshot> {
    this.#world.log('store: a snapshot');
    return this.#inTurn(async () => {
      const file = new Sqlite(this.#file);
      file.run('pragma wal_checkpoint(truncate)');
      file.close();
      return { at: this.#world.now, bytes: readFileSync(this.#file) };
    });
  }

  /** Replaces the database by a replica in the state of this snapshot. */
  async promote({ at, bytes }: Snapshot): Promise<void> {
    this.#world.log(`store: goes back to ${at / 1_000}`);
    this.#epoch += 1;
    await this.#inTurn(async () => {
      await this.close();
      for (const ending of ['-wal', '-shm']) rmSync(this.#file + ending, { force: true });
      writeFileSync(this.#file, bytes);
      this.#openStore = this.#connect();
    });
  }

  async close(): Promise<void> {
    await this.#openStore.fold.close();
    this.#openStore.connection.close();
  }

  #connect(): OpenStore {
    return { fold: new SqliteFoldStore(this.#folder), connection: new SqliteConnection(this.#file, 'write') };
  }

  /** Sometimes kills the caller in the middle of the transaction. */
  #withKills([batch, deliveriesOf]: [FoldBatch, DeliveriesOf]): [FoldBatch, DeliveriesOf] {
    const { owner } = this.#world;
    return [
      batch,
      (...parameters) => {
        if (this.#world.happens(this.faults.kills)) {
          owner?.killWithThreads();
          throw new StoreUnavailable('killed in the middle of a transaction');
        }
        return deliveriesOf(...parameters);
      },
    ];
  }

  /** Doesn't wait for transactions, and doesn't see uncommitted ones. */
  #watermark(journal: string): Position | null {
    const sql = 'select segment, byte_offset as "offset" from journal_watermarks where node = $1';
    return this.#openStore.connection.rows<Position>(sql, [journal])[0] ?? null;
  }

  async #read<T>(work: () => Promise<T>): Promise<T> {
    await this.#reachServer();
    return work();
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    const world = this.#world;
    const { faults } = this;
    await this.#reachServer();
    const epoch = this.#epoch;
    const execute = (delay: number) =>
      this.#inTurn(async () => {
        await world.pause(delay);
        if (epoch !== this.#epoch) throw new StoreUnavailable('the server was replaced');
        return work();
      });
    if (world.happens(faults.late)) {
      // Its locks are held until it ends.
      execute(world.below(4_000)).catch(() => {});
      throw new StoreUnavailable('the connection was lost');
    }
    const result = await execute(0);
    if (world.happens(faults.kills)) return this.#killCaller();
    if (world.happens(faults.lostResponses)) throw new StoreUnavailable('the answer was lost');
    await world.pause(world.below(8));
    return result;
  }

  async #reachServer(): Promise<void> {
    const world = this.#world;
    const { faults } = this;
    await world.pause(world.happens(0.03) ? world.below(3_000) : world.below(8));
    if (this.isUnavailable || world.happens(faults.refused))
      throw new StoreUnavailable('the connection was refused');
    if (world.happens(faults.kills)) await this.#killCaller();
  }

  #killCaller(): Promise<never> {
    this.#world.owner?.killWithThreads();
    return new Promise(() => {});
  }

  /** Executes one transaction at a time, even if its sender has been killed meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastTransaction.then(() => this.#world.runWithoutOwner(work));
    this.#lastTransaction = done.catch(() => {});
    return done;
  }

  #createDatabase(): Database {
    const queries: Queries = queriesOver({
      run: (sql, values) => this.#openStore.connection.run(sql, values),
    });
    const readQueries = queriesOver({
      run: (sql, values) => this.#read(async () => this.#openStore.connection.run(sql, values)),
    });
    const write = <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
      this.#call(async () => {
        const { connection } = this.#openStore;
        connection.run('begin immediate', []);
        try {
          const result = await work(queries);
          connection.run('commit', []);
          return result;
        } catch (cause) {
          connection.run('rollback', []);
          throw cause;
        }
      });
    return { kind: 'sqlite', read: readQueries, lookup: readQueries, write } as unknown as Database;
  }
}
