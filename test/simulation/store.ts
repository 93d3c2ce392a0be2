import { Database as Sqlite } from 'bun:sqlite';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../src/journal/files.ts';
import type { DeliveriesOf, FoldBatch, FoldStore } from '../../src/ledger/fold-store.ts';
import { SqliteFoldStore } from '../../src/ledger/sqlite-fold-store.ts';
import { StoreAway } from '../../src/rules/errors.ts';
import type { Database } from '../../src/storage/database.ts';
import { queriesOver } from '../../src/storage/drivers/sqlite-client.ts';
import { SqliteConnection } from '../../src/storage/drivers/sqlite-connection.ts';
import type { Queries } from '../../src/storage/schema.ts';
import type { World } from './world.ts';

/** The store as it was. */
export interface Snapshot {
  readonly at: number;
  readonly bytes: Uint8Array;
}

interface Open {
  readonly fold: SqliteFoldStore;
  readonly connection: SqliteConnection;
}

/** How often something goes wrong on the way to the store and back, per call. */
export interface StoreFaults {
  readonly refused: number;
  /** It is done, and the answer is lost. */
  readonly lostAnswers: number;
  /** It is done some time after the caller was told that the store is away. */
  readonly late: number;
  readonly deadly: number;
}

export const noFaults: StoreFaults = { refused: 0, lostAnswers: 0, late: 0, deadly: 0 };

/** One database for all nodes, with a network between: a real SQLite file that can go back to what it was. */
export class SimulatedStore {
  readonly #world: World;
  readonly #file: string;
  readonly #folder: string;
  readonly database: Database;
  faults = noFaults;
  isAway = false;
  #open: Open;
  /** Differs after a promotion: what was on its way to the server before never comes to the one after. */
  #epoch = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(world: World, folder: string) {
    this.#world = world;
    this.#folder = folder;
    this.#file = join(folder, 'linnet.sqlite');
    this.#open = this.#connect();
    this.database = this.#databaseOver();
  }

  /** As one thread's fold sees it. */
  foldStore(): FoldStore {
    return new Proxy({} as FoldStore, {
      get: (_, name: keyof FoldStore) => {
        if (name === 'minByLink') return this.#open.fold.minByLink;
        if (name === 'batchLength') return () => this.#world.pick([1, 3, 20, 5_000]);
        if (name === 'close') return async () => {};
        if (name === 'serverNow') return () => this.#call(async () => this.#world.instant);
        if (name === 'watermark')
          return (journal: string) => this.#read(async () => this.#watermark(journal));
        return (...values: unknown[]) =>
          this.#call(() => {
            const given = name === 'fold' ? this.#mortal(values as [FoldBatch, DeliveriesOf]) : values;
            // biome-ignore lint/complexity/noBannedTypes: whichever method it is, its caller has checked the types
            return (this.#open.fold[name] as Function).apply(this.#open.fold, given) as Promise<unknown>;
          });
      },
    });
  }

  rows<Row>(sql: string): readonly Row[] {
    return this.#open.connection.rows<Row>(sql, []);
  }

  async snapshot(): Promise<Snapshot> {
    this.#world.tell('store: a snapshot');
    return this.#inTurn(async () => {
      const file = new Sqlite(this.#file);
      file.run('pragma wal_checkpoint(truncate)');
      file.close();
      return { at: this.#world.now, bytes: readFileSync(this.#file) };
    });
  }

  /** A replica that was as far as this snapshot is the database from now on. */
  async promote({ at, bytes }: Snapshot): Promise<void> {
    this.#world.tell(`store: goes back to ${at / 1_000}`);
    this.#epoch += 1;
    await this.#inTurn(async () => {
      await this.close();
      for (const ending of ['-wal', '-shm']) rmSync(this.#file + ending, { force: true });
      writeFileSync(this.#file, bytes);
      this.#open = this.#connect();
    });
  }

  async close(): Promise<void> {
    await this.#open.fold.close();
    this.#open.connection.close();
  }

  #connect(): Open {
    return { fold: new SqliteFoldStore(this.#folder), connection: new SqliteConnection(this.#file, 'write') };
  }

  /** Dies at times in the middle of the transaction. */
  #mortal([batch, deliveriesOf]: [FoldBatch, DeliveriesOf]): [FoldBatch, DeliveriesOf] {
    const { owner } = this.#world;
    return [
      batch,
      (...given) => {
        if (this.#world.happens(this.faults.deadly)) {
          owner?.killWhole();
          throw new StoreAway('killed in the middle of a transaction');
        }
        return deliveriesOf(...given);
      },
    ];
  }

  /** Waits for no transaction, and sees nothing of those that have not ended. */
  #watermark(journal: string): Position | null {
    const sql = 'select segment, byte_offset as "offset" from journal_watermarks where node = $1';
    return this.#open.connection.rows<Position>(sql, [journal])[0] ?? null;
  }

  async #read<T>(work: () => Promise<T>): Promise<T> {
    await this.#arrive();
    return work();
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    const world = this.#world;
    const { faults } = this;
    await this.#arrive();
    const epoch = this.#epoch;
    const arrive = (delay: number) =>
      this.#inTurn(async () => {
        await world.pause(delay);
        if (epoch !== this.#epoch) throw new StoreAway('the server is another one');
        return work();
      });
    if (world.happens(faults.late)) {
      // What it has locked stays locked until it ends.
      arrive(world.below(4_000)).catch(() => {});
      throw new StoreAway('the connection was lost');
    }
    const answer = await arrive(0);
    if (world.happens(faults.deadly)) return this.#die();
    if (world.happens(faults.lostAnswers)) throw new StoreAway('the answer was lost');
    await world.pause(world.below(8));
    return answer;
  }

  async #arrive(): Promise<void> {
    const world = this.#world;
    const { faults } = this;
    await world.pause(world.happens(0.03) ? world.below(3_000) : world.below(8));
    if (this.isAway || world.happens(faults.refused)) throw new StoreAway('the connection was refused');
    if (world.happens(faults.deadly)) await this.#die();
  }

  #die(): Promise<never> {
    this.#world.owner?.killWhole();
    return new Promise(() => {});
  }

  /** One transaction at a time. Those who sent it may be dead by then. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#world.runAsNobody(work));
    this.#last = done.catch(() => {});
    return done;
  }

  #databaseOver(): Database {
    const queries: Queries = queriesOver({ run: (sql, values) => this.#open.connection.run(sql, values) });
    const away = queriesOver({
      run: (sql, values) => this.#read(async () => this.#open.connection.run(sql, values)),
    });
    const write = <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
      this.#call(async () => {
        const { connection } = this.#open;
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
    return { kind: 'sqlite', read: away, lookup: away, write } as unknown as Database;
  }
}
