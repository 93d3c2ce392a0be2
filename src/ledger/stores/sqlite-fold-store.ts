import { Database, type Statement } from 'bun:sqlite';
import { join } from 'node:path';
import { StoreUnavailable } from '../../rules/errors.ts';
import { isTransient } from '../../rules/transient-error.ts';
import { dayOfHour } from '../../rules/utc-time.ts';
import { beginImmediate } from '../../storage/drivers/begin-immediate.ts';
import { yieldCore } from '../../threads/yield-core.ts';
import { minInChunk } from '../chunks/hit-chunk.ts';
import type { Claim, DeliveriesOf, FoldBatch, FoldStore, HourVisitors, NewVisitors } from '../fold-store.ts';
import { RowInsertions } from './row-insertions.ts';
import {
  type Cells,
  type LinkHour,
  maxLoose,
  type Query,
  SqlFoldStore,
  type Total,
  totals,
} from './sql-fold-store.ts';
import { SqliteChunks } from './sqlite-chunks.ts';
import { SqliteHits } from './sqlite-hits.ts';

const visitorsPerStatement = [64, 16, 4, 2, 1] as const;

/**
 * Hits of one transaction. Most of its time is spent on pages, and in a larger transaction more hits share a page: a long one
 * takes two thirds of a second, a short one a tenth of a second and half as much again per hit. The columns of a long batch just
 * fit into 2 to the 17th rows.
 */
const longBatch = 120_000;
const shortBatch = 32_768;
/** On a slow disk a transaction has fewer hits, so that it takes about this many milliseconds, but at least `minBatch`. */
const longTimeSlice = 1_500;
const shortTimeSlice = 150;
const minBatch = 2_048;
/** Milliseconds after a change by another connection in which more are expected. */
const othersPause = 5_000;
/** Milliseconds between two transactions: a waiting connection polls the lock, and must sometimes find it free. */
const lockFreeTime = 25;

/** The condition must be word for word that of its index, or the index isn't used. */
const looseHours = `select link_id as link, hour, counts from link_hours where loose > ${maxLoose}`;

/** For each table, a column that differs from row to row. */
const differing = { linkHours: 0, organizationRollups: 4, linkClicks: 0 } satisfies Record<Total, number>;

/**
 * The fold's own connection, in the fold's thread. Its statements have hundreds of thousands of numbers: they go to SQLite
 * without a query builder.
 */
export class SqliteFoldStore extends SqlFoldStore implements FoldStore {
  protected override readonly linkHint = 'indexed by links_hooked';
  /** This many hits in one batch are a backlog, or more than can be followed live. */
  readonly minByLink = 4_096;
  protected override readonly listed = '(select value from json_each($1))';
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();
  readonly #into: Readonly<Record<Total, RowInsertions>>;
  readonly #hits: SqliteHits;
  readonly #chunks: SqliteChunks;

  #seenVersion: number;
  #seenRoutine = '';
  #seenLinks = '';
  readonly #ownJournals = new Set<string>();
  /** The number of claims that this connection made. */
  #ownClaims = 0;
  #othersWroteAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds per hit in the last transaction, without the wait for the lock. */
  #lastPace = 0;
  /** When the last transaction got its lock, and when the last fold ended. */
  #lastBegin = 0;
  #lastEnd = 0;

  constructor(dataDir: string, hitsInChunk = minInChunk) {
    super();
    const statement = (sql: string) => this.#statement(sql);
    this.#chunks = new SqliteChunks(statement, hitsInChunk);
    this.#database = new Database(join(dataDir, 'linnet.sqlite'), { readwrite: true });
    this.#database.run('pragma busy_timeout = 5000');
    this.#database.run('pragma synchronous = full');
    this.#database.run('pragma foreign_keys = on');
    // Deleted data is overwritten (docs/decisions/2026-11-23-salts-outside-the-database.md states the cost).
    this.#database.run('pragma secure_delete = on');
    this.#database.run('pragma cache_size = -16000');
    // The main writer checkpoints too: this only keeps a long fold from doing so after every batch.
    this.#database.run('pragma wal_autocheckpoint = 8000');
    const into = (total: Total) => new RowInsertions(statement, totals[total], differing[total]);
    this.#into = {
      linkHours: into('linkHours'),
      organizationRollups: into('organizationRollups'),
      linkClicks: into('linkClicks'),
    };
    this.#hits = new SqliteHits(statement, this.#chunks);
    this.#seenVersion = this.#othersVersion();
    this.#seenRoutine = this.#othersRoutine();
    this.#seenLinks = this.#newestOfLinks();
  }

  /** An insertion uses up an id even if the word exists, and ids have 31 bits: so only new words are inserted. */
  async wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const insert = this.#statement(
      'insert into words (word, sweep) values (?, (select sweep from word_sweeps)) returning id',
    );
    const mark = this.#statement(
      'update words set sweep = (select sweep from word_sweeps) where word = ? returning id',
    );
    const select = this.#statement(
      'select words.id, words.sweep = word_sweeps.sweep as is_marked from words, word_sweeps where word = ?',
    );
    return this.transaction(async () => {
      const ids = new Map<string, number>();
      for (const word of words) {
        const stored = select.get(word) as { id: number; is_marked: number } | null;
        const found = stored?.is_marked ? stored : ((mark.get(word) ?? insert.get(word)) as { id: number });
        ids.set(word, found.id);
      }
      return ids;
    });
  }

  /** SQLite has one writer: while others write, the fold's transactions are short, with pauses in between. */
  batchLength(): number {
    const version = this.#othersVersion();
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      if (this.#isMoreThanRoutine()) this.#othersWroteAt = performance.now();
    }
    const [max, timeSlice] = this.#othersWrite ? [shortBatch, shortTimeSlice] : [longBatch, longTimeSlice];
    return Math.max(minBatch, Math.min(max, Math.floor(timeSlice / this.#lastPace)));
  }

  override async fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    this.#ownJournals.add(batch.journal);
    if (this.#othersWrite) await this.#leaveLockFree();
    await super.fold(batch, deliveriesOf);
    this.#lastEnd = performance.now();
    this.#lastPace = (this.#lastEnd - this.#lastBegin) / Math.max(batch.hits.count, minBatch);
  }

  /** Not synced: whatever is folded after it syncs it too, so no fold that relies on a claim outlives that claim. */
  override async claim(claim: Claim): Promise<number | null> {
    this.#database.run('pragma synchronous = normal');
    try {
      const claimNumber = await super.claim(claim);
      this.#ownClaims += 1;
      return claimNumber;
    } finally {
      this.#database.run('pragma synchronous = full');
    }
  }

  /** The file is on this machine: there is no other clock. */
  async serverNow(): Promise<number | null> {
    return null;
  }

  async deleteHitsBefore(at: number): Promise<boolean> {
    return this.transaction(async () => {
      const hasMoreChunks = this.#chunks.deleteBefore(at);
      return this.#hits.deleteBefore(at) || hasMoreChunks;
    });
  }

  async chunkSome(now: number): Promise<boolean> {
    return this.transaction(async () => this.#chunks.chunkSome(now));
  }

  /** Truncates the WAL, which still contains what was deleted since; not while others read, as this doesn't wait for them. */
  override async shortenLog(): Promise<void> {
    this.#database.run('pragma wal_checkpoint(passive)');
    this.#database.run('pragma busy_timeout = 0');
    try {
      this.#database.run('pragma wal_checkpoint(truncate)');
    } finally {
      this.#database.run('pragma busy_timeout = 5000');
    }
  }

  async close(): Promise<void> {
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#database.close();
  }

  /** Changes with every commit of another connection. */
  #othersVersion(): number {
    return (this.#statement('pragma data_version').get() as { data_version: number }).data_version;
  }

  get #othersWrite(): boolean {
    return performance.now() - this.#othersWroteAt < othersPause;
  }

  async #leaveLockFree(): Promise<void> {
    const rest = this.#lastEnd + lockFreeTime - performance.now();
    if (rest > 0) await Bun.sleep(rest);
  }

  /**
   * Whether other connections did more than fold their journals and report their state. Workers fold all the time, and wait for each
   * other. A process reports every ten seconds: if that counted, half of all batches would be short.
   */
  #isMoreThanRoutine(): boolean {
    const [routine, links] = [this.#othersRoutine(), this.#newestOfLinks()];
    const isMore = routine === this.#seenRoutine || links !== this.#seenLinks;
    this.#seenRoutine = routine;
    this.#seenLinks = links;
    return isMore;
  }

  /** How far others have folded, and when processes last reported their state. */
  #othersRoutine(): string {
    const rows = this.#statement(
      'select node, segment, byte_offset from journal_watermarks where finished_at is null',
    ).values();
    const [[claimsMade] = []] = this.#statement('select turn from click_claim_turns').values();
    const claims = Number(claimsMade) - this.#ownClaims;
    const reports = this.#statement(
      'select node, process, seen_at from nodes order by node, process',
    ).values();
    return [claims, ...rows.filter(([node]) => !this.#ownJournals.has(String(node))), ...reports].join(' ');
  }

  #newestOfLinks(): string {
    const [row] = this.#statement(
      'select (select max(id) from links), (select max(id) from changes)',
    ).values();
    return String(row);
  }

  protected override async appendHits(_query: Query, batch: FoldBatch): Promise<() => Float64Array> {
    return this.#hits.append(batch);
  }

  protected override async add(_query: Query, total: Total, columns: readonly Cells[]): Promise<void> {
    this.#into[total].insert(columns);
  }

  protected override async addLinkHours(
    query: Query,
    columns: readonly Cells[],
  ): Promise<readonly LinkHour[]> {
    this.#into.linkHours.insert(columns);
    return query(looseHours);
  }

  protected override async setCounts(_query: Query, hours: readonly LinkHour[]): Promise<void> {
    const update = this.#statement(
      'update link_hours set counts = ?, loose = 0 where link_id = ? and hour = ?',
    );
    for (const { link, hour, counts } of hours) update.run(counts, link, hour);
  }

  /** Inserts an owner's visitors with one statement, which returns how many were new. */
  protected override async insertVisitors(
    _query: Query,
    groups: readonly HourVisitors[],
  ): Promise<readonly NewVisitors[]> {
    const sizes = visitorsPerStatement.map((rows) => ({
      rows,
      statement: this.#visitorInsertion(rows),
      values: new Array<number>(rows + 2),
    }));
    return groups.map(({ hour, owner, variant, visitors }) => {
      let count = 0;
      let from = 0;
      for (const { rows, statement, values } of sizes) {
        for (; from + rows <= visitors.length; from += rows) {
          values[0] = dayOfHour(hour);
          values[1] = owner;
          for (let at = 0; at < rows; at++) values[at + 2] = visitors[from + at] ?? 0;
          count += statement.run(values).changes;
          yieldCore();
        }
      }
      return { hour, owner, variant, count };
    });
  }

  #visitorInsertion(rows: number): Statement {
    const row = Array.from({ length: rows }, (_, index) => `(?1, ?2, ?${index + 3})`);
    return this.#statement(
      `insert into daily_visitors (day, owner, visitor) values ${row.join(', ')} on conflict do nothing`,
    );
  }

  #statement(sql: string): Statement {
    return this.#prepared.getOrInsertComputed(sql, () => this.#database.prepare(sql));
  }

  /** Nothing here is asynchronous, so no other call comes in between. */
  protected override readonly query: Query = async <Found>(
    sql: string,
    parameters: readonly unknown[] = [],
  ) => {
    try {
      return this.#statement(sql).all(...(parameters as (string | number | null)[])) as Found[];
    } catch (cause) {
      throw faultOf(cause);
    }
  };

  protected override async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    try {
      beginImmediate(this.#database);
      this.#lastBegin = performance.now();
      const result = await work(this.query);
      this.#database.run('commit');
      return result;
    } catch (cause) {
      // A full disk ends the transaction by itself.
      if (this.#database.inTransaction) this.#database.run('rollback');
      throw faultOf(cause);
    }
  }
}

const faultOf = (cause: unknown): unknown =>
  isTransient(cause) ? new StoreUnavailable((cause as Error).message, { cause }) : cause;
