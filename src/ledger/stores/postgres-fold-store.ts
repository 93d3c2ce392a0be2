import { dayLength } from '../../rules/durations.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { deleteMovedHits, hitStoreId, hitsMovedAt, hitTablesMade } from '../../storage/moved-hits.ts';
import { minMigrationKey } from '../../storage/setting-keys.ts';
import { hasNoTimeline, replicaMark, timelineSql } from '../../storage/timeline-sql.ts';
import { shareWordsSql } from '../../storage/word-sweep-lock.ts';
import { minInChunk } from '../chunks/hit-chunk.ts';
import type { HitWriter } from '../external-hits.ts';
import {
  type DeliveriesOf,
  type FoldBatch,
  type FoldStore,
  type HourVisitors,
  type NewVisitors,
  StoreChanged,
} from '../fold-store.ts';
import type { SaltExchange } from '../visitors/salts/shared-salts.ts';
import { asciiArray, bigintArray } from './binary-arrays.ts';
import { PartitionDrop } from './partition-drop.ts';
import { earlierRows, Partitions } from './partitions.ts';
import { PostgresChunks } from './postgres-chunks.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { appendHits, minPacked, monthsOf } from './postgres-hits.ts';
import { addHoursSql, hoursHaveNullsSince, storedAsNull } from './postgres-hours.ts';
import { columnsOf } from './postgres-rows.ts';
import { postgresSaltExchange } from './postgres-salt-exchange.ts';
import { maxInRuns, PostgresVisitors } from './postgres-visitors.ts';
import {
  type Cells,
  deletedAtOnce,
  type Insertion,
  type LinkHour,
  maxLoose,
  type Query,
  SqlFoldStore,
  type StoredWord,
  type Total,
  totals,
  unnested,
} from './sql-fold-store.ts';
import { UncountedHits } from './uncounted-hits.ts';

/** SQLSTATE for a row without a partition, or a failed check; the ledger has no checks. */
const noPartition = '23514';
const lockNotAvailable = '55P03';
/**
 * Hits of one transaction. In a larger transaction more hits share the rows of their links, which takes a seventh of the CPU time
 * and a quarter of the WAL. It takes about `longTimeSlice` milliseconds at most: others that add to the same rows wait for its
 * end.
 */
const minBatch = 32_768;
const maxBatch = 120_000;
const longTimeSlice = 1_000;
/** With fewer hits, the time of a transaction says little about the time per hit. */
const minTimed = 2_048;
/** Fewer hits than this in a batch are rows. */
const minByLink = minPacked;

/** Versions that have this migration find the packs of a link by the columns of the packs. */
const packsHaveLinksSince = 63;

/** Stored words get the number of the newest sweep, in the same order on each node. */
const markWordsSql = `with outdated as (
    select id from words, word_sweeps where word = any($1::text[]) and words.sweep < word_sweeps.sweep
    order by word for no key update of words
  ) update words set sweep = (select sweep from word_sweeps) from outdated where words.id = outdated.id`;
/**
 * Each row that is offered for insertion uses up an id, even if its word exists, and ids have 31 bits: so words that are stored and
 * marked are left out.
 */
const insertWordsSql = `insert into words (word, sweep)
  select given.word, word_sweeps.sweep from unnest($1::text[]) as given (word), word_sweeps
  where not exists (select from words as stored where stored.word = given.word and stored.sweep >= word_sweeps.sweep)
  on conflict (word) do update set sweep = excluded.sweep where words.sweep < excluded.sweep`;

const isText = (cells: Cells): cells is readonly string[] => Array.isArray(cells);
const arrayOf = (cells: Cells): Buffer => (isText(cells) ? asciiArray(cells) : bigintArray(cells));

/** Outside the transaction, so that no other node waits for its end. */
const takeIdsSql = 'update hit_ids set newest = newest + $1 returning newest';
const settledSql = `select settled, (select value from settings where key = '${minMigrationKey}') as least,
  (select value from settings where key = '${hitStoreId}') as hit_store from hit_ids`;
const hitServerSql = `select (select value from settings where key = '${hitStoreId}') as id,
  (select value from settings where key = '${hitTablesMade}') as made_for`;
const noteTablesSql = `insert into settings (key, value) values ('${hitTablesMade}', $1)
  on conflict (key) do update set value = excluded.value where settings.value <> excluded.value`;
const hoursSql = addHoursSql(maxLoose);
const countsSql = `update link_hours set counts = merged.counts, loose = 0
  from unnest($1::bigint[], $2::bigint[], $3::text[]) as merged (link_id, hour, counts)
  where link_hours.link_id = merged.link_id and link_hours.hour = merged.hour`;

/** Another node makes a chunk that covers the ids reserved for these hits: they get new ids. */
class IdsSettled extends StoreUnavailable {
  override readonly name = 'IdsSettled';
}

/** Opens the server with the hits of the store with this id, whose tables were made there before or not. */
type OpenWriter = (storeId: string, hadTables: boolean) => Promise<HitWriter>;

const movedMeanwhile = 'individual clicks are in ClickHouse now: set CLICKS_URL, and start this node again';

/**
 * After the database has gone back in time it hands out ids again that hits on the other server already have. This many ids are
 * skipped then, because a node that was still connected to the former primary may have reserved some more.
 */
const skippedIds = 1_000_000;

/** Uses one connection, opened when needed and closed at the first fault, because its state is unknown then. */
export class PostgresFoldStore extends SqlFoldStore implements FoldStore {
  readonly minByLink = minByLink;
  protected override readonly listed = '(select item::bigint from json_array_elements_text($1) as item)';
  readonly #url: string;
  readonly #connection: PostgresConnection;
  readonly #partitions: Partitions;
  readonly #chunks: PostgresChunks;
  readonly #visitors: PostgresVisitors;
  /** The id of the first hit of the batch that is being folded. */
  #firstId = 0;
  /** The newest migration that all nodes have, as read in the transaction of that batch. */
  #minMigration = 0;
  #dropping: PartitionDrop | null = null;
  #timeline: string | null = null;
  /** Milliseconds per hit in the last transaction. */
  #lastPace = Number.POSITIVE_INFINITY;
  /** The rows from before partitions were checked up to this id. */
  #earlierPassed = 0;

  /** Set if hits are on another server. */
  readonly #openWriter: OpenWriter | null;
  #writer: HitWriter | null = null;
  readonly #uncounted: UncountedHits;
  /** Journals whose hits on the other server have all been counted. */
  readonly #countedJournals = new Set<string>();

  /** `minInChunks`: how many hits make a chunk. `maxVisitors`: how many visitors of a day are stored in runs. */
  constructor(
    url: string,
    minInChunks = minInChunk,
    openWriter: OpenWriter | null = null,
    maxVisitors = maxInRuns,
  ) {
    super();
    this.#openWriter = openWriter;
    this.#url = url;
    this.#connection = new PostgresConnection(url, {
      name: 'linnet fold',
      timeout: 20_000,
      onConnect: (query) => this.#checkServer(query),
    });
    this.#partitions = new Partitions(this.#connection);
    this.#chunks = new PostgresChunks(this.#connection, this.#partitions, minInChunks);
    this.#visitors = new PostgresVisitors(this.#connection.query, maxVisitors);
    this.#uncounted = new UncountedHits(this.#connection);
  }

  /** Where nodes agree on the salts of visitors. */
  get saltExchange(): SaltExchange {
    return postgresSaltExchange(this.query);
  }

  async wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sorted = [...words].sort();
    const { namedQuery } = this.#connection;
    await namedQuery(markWordsSql, [sorted]);
    await namedQuery(insertWordsSql, [sorted]);
    const select = 'select id, word from words where word = any($1::text[])';
    return new Map((await namedQuery<StoredWord>(select, [sorted])).map(({ id, word }) => [word, id]));
  }

  /** In PostgreSQL other writers wait only for rows that both change. */
  batchLength(): number {
    return Math.max(minBatch, Math.min(maxBatch, Math.floor(longTimeSlice / this.#lastPace)));
  }

  override async fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    const startedAt = performance.now();
    await this.#fold(batch, deliveriesOf);
    this.#lastPace = (performance.now() - startedAt) / Math.max(batch.hits.count, minTimed);
  }

  async #fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    const writer = await this.#openedWriter();
    if (writer !== null) return this.#foldExternally(batch, deliveriesOf, writer);
    try {
      await this.#foldOnce(batch, deliveriesOf);
    } catch (cause) {
      if (!(cause instanceof IdsSettled) && (cause as { code?: string }).code !== noPartition) throw cause;
      // Another node has dropped the partition, because the whole month has expired.
      this.#partitions.forget();
      await this.#foldOnce(batch, deliveriesOf);
    }
  }

  async serverNow(): Promise<number> {
    const [row] = await this.query(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at',
    );
    return Number(row?.at);
  }

  override async deleteVisitorsBefore(day: number): Promise<boolean> {
    await this.#connection.transaction((query) => this.#visitors.deleteBefore(query, day));
    return super.deleteVisitorsBefore(day);
  }

  /** Months are dropped as a whole, over a separate connection: dropping waits for readers, and the fold must not. */
  async deleteHitsBefore(at: number, now = Number.POSITIVE_INFINITY): Promise<boolean> {
    const writer = await this.#openedWriter();
    if (writer !== null) {
      await writer.deleteBefore(at);
      await this.#deleteMoved(now);
      return false;
    }
    if (this.#dropping === null) {
      if (await this.#deleteEarlierRows(at, now)) return true;
      const expired = await this.#partitions.expired(at);
      if (expired.length === 0) return false;
      this.#dropping = new PartitionDrop(this.#url, expired);
    }
    if (!this.#dropping.isOver) return true;
    const { fault } = this.#dropping;
    this.#dropping = null;
    if (fault !== null) throw new StoreUnavailable(fault.message, { cause: fault });
    return false;
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await this.#dropping?.stop();
  }

  async chunkSome(now: number): Promise<boolean> {
    return this.#openWriter === null && this.#chunks.chunkSome(now);
  }

  protected override async holdOffSweeps(query: Query): Promise<void> {
    await query(shareWordsSql);
  }

  /** The transaction has an id by now, which shows processes that make chunks that it is running. */
  protected override async appendHits(query: Query, batch: FoldBatch): Promise<() => Float64Array> {
    const [row] = await query(settledSql);
    this.#minMigration = Number(row?.least ?? 0);
    if (this.#writer !== null) return this.#appendExternally(this.#writer, batch);
    if (row?.hit_store != null) throw new StoreUnavailable(movedMeanwhile);
    if (batch.hits.count > 0 && this.#firstId <= Number(row?.settled))
      throw new IdsSettled('another node makes a chunk');
    const hasOlderNodes = this.#minMigration < packsHaveLinksSince;
    return appendHits(query, batch, { firstId: this.#firstId, hasOlderNodes });
  }

  protected override async insertVisitors(
    query: Query,
    groups: readonly HourVisitors[],
  ): Promise<readonly NewVisitors[]> {
    return this.#visitors.insert(query, groups);
  }

  protected override async add(query: Query, total: Total, columns: readonly Cells[]): Promise<void> {
    if (columns[0]?.length === 0) return;
    const { head, constants = '', tail }: Insertion = totals[total];
    const rows = unnested(columns.map((cells) => (isText(cells) ? 'text' : 'bigint')));
    await query(`${head} select *${constants} from ${rows} ${tail}`, columns.map(arrayOf));
  }

  protected override async addLinkHours(
    query: Query,
    columns: readonly Cells[],
  ): Promise<readonly LinkHour[]> {
    if (columns[0]?.length === 0) return [];
    const none = storedAsNull(this.#minMigration < hoursHaveNullsSince);
    return query(hoursSql, [...columns.map(arrayOf), none]);
  }

  protected override async setCounts(query: Query, hours: readonly LinkHour[]): Promise<void> {
    await query(countsSql, [
      ...columnsOf(hours.map(({ link, hour }) => [link, hour])),
      asciiArray(hours.map(({ counts }) => counts)),
    ]);
  }

  async #foldExternally(batch: FoldBatch, deliveriesOf: DeliveriesOf, writer: HitWriter): Promise<void> {
    await writer.waitForCapacity(batch.hits.count);
    this.#firstId = await this.#takeIds(batch.hits.count);
    try {
      await this.#commit(batch, deliveriesOf);
      this.#countedJournals.add(batch.journal);
    } catch (cause) {
      this.#countedJournals.delete(batch.journal);
      throw cause;
    }
  }

  override async deleteUncounted(now: number): Promise<boolean> {
    const writer = await this.#openedWriter();
    return writer !== null && this.#uncounted.deleteSome(writer, now);
  }

  override async deleteUncountedOf(journal: string, now: number): Promise<boolean> {
    if (this.#countedJournals.has(journal)) return false;
    const writer = await this.#openedWriter();
    return writer !== null && this.#uncounted.deleteSomeOf(writer, journal, now);
  }

  /** Moved hits are kept in PostgreSQL for a day, for nodes that haven't noticed the move yet and still read them. */
  async #deleteMoved(now: number): Promise<void> {
    const [since] = await this.query('select value from settings where key = $1', [hitsMovedAt]);
    if (since === undefined || Number(since.value) > now - dayLength) return;
    try {
      await this.#connection.transaction(async (query) => {
        for (const statement of deleteMovedHits) await query(statement);
      });
    } catch (cause) {
      if ((cause as { code?: string }).code !== lockNotAvailable) throw cause;
      // A long-running reader, such as a backup, holds locks on the tables: the hits are deleted the next time.
    }
  }

  /** The watermark's row is locked by now: no other node folds this journal until this transaction ends. */
  async #appendExternally(writer: HitWriter, batch: FoldBatch): Promise<() => Float64Array> {
    const firstId = this.#firstId;
    await writer.append(batch, firstId, !this.#countedJournals.has(batch.journal));
    return () => Float64Array.from({ length: batch.hits.count }, (_, row) => firstId + row);
  }

  /** Null if hits are in PostgreSQL. */
  async #openedWriter(): Promise<HitWriter | null> {
    if (this.#writer !== null || this.#openWriter === null) return this.#writer;
    const [settings] = await this.query(hitServerSql);
    const storeId = String(settings?.id);
    const writer = await this.#openWriter(storeId, settings?.made_for === storeId);
    await this.query(noteTablesSql, [storeId]);
    const newest = await writer.newestId();
    await this.query('update hit_ids set newest = $1::bigint + $2 where newest < $1', [newest, skippedIds]);
    this.#writer = writer;
    return writer;
  }

  async #foldOnce(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    await this.#partitions.cover(monthsOf(batch.hits));
    this.#firstId = await this.#takeIds(batch.hits.count);
    await this.#commit(batch, deliveriesOf);
  }

  async #commit(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    await this.#visitors.begin(batch.visitors);
    await super.fold(batch, deliveriesOf);
    this.#visitors.commit();
  }

  /** After a promotion or a restore, cached ids of words and cached partitions may be wrong. */
  async #checkServer(query: Query): Promise<void> {
    const timeline = await query(timelineSql).then(
      ([row]) => String(row?.timeline),
      (cause) => {
        if (hasNoTimeline(cause)) return '';
        throw cause;
      },
    );
    if (timeline.includes(replicaMark))
      throw new StoreUnavailable('the server is a replica, which takes no clicks');
    this.#timeline ??= timeline;
    if (this.#timeline !== timeline) throw new StoreChanged('another history of the database');
  }

  async #takeIds(count: number): Promise<number> {
    const [row] = await this.#connection.namedQuery(takeIdsSql, [count]);
    return Number(row?.newest) - count + 1;
  }

  async #deleteEarlierRows(at: number, now: number): Promise<boolean> {
    if (!(await this.#partitions.hasEarlierRows())) return false;
    const oldest = await this.query<{ id: number; at: number }>(
      `select id, at from ${earlierRows} where id > $1 order by id limit ${deletedAtOnce}`,
      [this.#earlierPassed],
    );
    const last = oldest.at(-1)?.id ?? 0;
    await this.query(`delete from ${earlierRows} where id > $1 and id <= $2 and at < $3`, [
      this.#earlierPassed,
      last,
      at,
    ]);
    // Ids rise with time, except for hits that waited in a journal or whose clock was wrong, so no index is needed. The next ones may
    // have expired too, if all of these have or are from the future.
    const hasMore = oldest.length === deletedAtOnce && oldest.every((row) => row.at < at || row.at > now);
    this.#earlierPassed = hasMore ? last : 0;
    return hasMore;
  }

  /** Not prepared: statements with limits, such as deletions of expired rows, need a plan for their values. */
  protected override readonly query: Query = (sql, parameters) => this.#connection.query(sql, parameters);

  protected override transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#connection.transaction(work, true);
  }
}
