import { Database, type Statement } from 'bun:sqlite';
import { join } from 'node:path';
import { rollupClasses } from '../rules/click-fields.ts';
import { StoreAway } from '../rules/errors.ts';
import { breathe } from '../threads/yield-core.ts';
import {
  byId,
  clickedLinks,
  type DayVisitors,
  type DeliveriesOf,
  type Delivery,
  deletedAtOnce,
  type FoldBatch,
  type FoldStore,
  type HookedLink,
  JournalTaken,
  type LinkHours,
  linkClickColumns,
  linkHourColumns,
  linksWithHooks,
  looseHours,
  type NewVisitors,
  placeVisitors,
  rollupColumns,
  type Watermark,
} from './fold-store.ts';
import { hitIdOf } from './hit-ids.ts';
import { tidyCounts } from './hour-counts.ts';
import { type Insertion, RowInsertions } from './row-insertions.ts';
import { SqliteHits } from './sqlite-hits.ts';

const visitorsTogether = [64, 16, 4, 2, 1] as const;

/**
 * Hits of one transaction. Most of its time goes into pages, and the more hits it has, the more of them share a page:
 * a long one takes two thirds of a second, a short one a tenth, and half as much again for each hit.
 * The columns of the long one just fit into their room of 2 to the 17th.
 */
const longBatch = 120_000;
const shortBatch = 32_768;
/**
 * Where the disk is slow a transaction has fewer, so that it takes about so many milliseconds; but never fewer than
 * these.
 */
const longTurn = 1_500;
const shortTurn = 150;
const minBatch = 2_048;
/** For so many milliseconds after a change by another connection, more are expected. */
const othersPause = 5_000;
/**
 * The lock is free for so many milliseconds between two turns: a waiting connection polls it, and must not always
 * find it taken.
 */
const othersLook = 25;

const summed = [...rollupClasses, 'visitors'].map((name) => `${name} = ${name} + excluded.${name}`);

const insertions = {
  linkHours: {
    head: `insert into link_hours (${linkHourColumns.join(', ')}, visitors, counts, loose)`,
    columns: linkHourColumns.length + 2,
    constants: ', 0',
    tail: `on conflict do update set ${summed.join(', ')}, counts = counts || excluded.counts,
      loose = loose + length(excluded.counts)`,
    differs: 0,
    together: [256, 32, 4, 1],
  },
  organizationRollups: {
    head: 'insert into organization_rollups (organization_id, dimension, hour, class, value, hits)',
    columns: rollupColumns,
    tail: 'on conflict do update set hits = hits + excluded.hits',
    differs: 4,
    together: [256, 32, 4, 1],
  },
  linkClicks: {
    head: 'insert into link_clicks (link_id, clicks, last_clicked_at)',
    columns: linkClickColumns,
    tail: `on conflict do update set clicks = clicks + excluded.clicks,
      last_clicked_at = max(last_clicked_at, excluded.last_clicked_at)`,
    differs: 0,
    together: [256, 32, 4, 1],
  },
} satisfies Record<string, Insertion>;
type Table = keyof typeof insertions;

/**
 * The fold's own connection, in the fold's thread. Its statements are numbers by the hundred thousand: they go to
 * SQLite without a query builder between.
 */
export class SqliteFoldStore implements FoldStore {
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();
  readonly #into: Readonly<Record<Table, RowInsertions>>;
  readonly #hits: SqliteHits;

  #seenVersion: number;
  #seenFolds = '';
  #seenLinks = '';
  readonly #ownJournals = new Set<string>();
  #othersWroteAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds that a hit took last time, without the wait for the lock. */
  #lastPace = 0;
  #lastEnd = 0;

  constructor(dataDir: string) {
    this.#database = new Database(join(dataDir, 'linnet.sqlite'), { readwrite: true });
    this.#database.run('pragma busy_timeout = 5000');
    this.#database.run('pragma synchronous = full');
    this.#database.run('pragma foreign_keys = on');
    this.#database.run('pragma cache_size = -16000');
    // The writer of everything else checkpoints too: this only keeps a long fold from doing so after every batch.
    this.#database.run('pragma wal_autocheckpoint = 8000');
    const into = (table: Table) => new RowInsertions(this.#database, insertions[table]);
    this.#into = {
      linkHours: into('linkHours'),
      organizationRollups: into('organizationRollups'),
      linkClicks: into('linkClicks'),
    };
    this.#hits = new SqliteHits(this.#database, (sql) => this.#statement(sql));
    this.#seenVersion = this.#othersVersion();
    this.#seenFolds = this.#othersFolds();
    this.#seenLinks = this.#newestOfLinks();
  }

  async watermark(journal: string): Promise<Watermark | null> {
    return this.#try(() => {
      const row = this.#statement(
        'select segment, byte_offset as offset from journal_watermarks where node = ?',
      ).get(journal);
      return row as Watermark | null;
    });
  }

  async forgetWatermark(journal: string): Promise<void> {
    this.#try(() => this.#statement('delete from journal_watermarks where node = ?').run(journal));
  }

  async wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const insert = this.#statement('insert into words (word) values (?) on conflict do nothing');
    const select = this.#statement('select id from words where word = ?');
    return this.#whole(() => {
      const ids = new Map<string, number>();
      for (const word of words) {
        insert.run(word);
        ids.set(word, (select.get(word) as { id: number }).id);
      }
      return ids;
    });
  }

  /** SQLite has one writer: while others write, the fold's turns are short, with pauses in between. */
  batchLength(): number {
    const version = this.#othersVersion();
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      if (this.#isMoreThanFolds()) this.#othersWroteAt = performance.now();
    }
    const [max, turn] = this.#othersWrite ? [shortBatch, shortTurn] : [longBatch, longTurn];
    return Math.max(minBatch, Math.min(max, Math.floor(turn / this.#lastPace)));
  }

  async fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    this.#ownJournals.add(batch.journal);
    if (this.#othersWrite) await this.#letOthersIn();
    let begun = 0;
    this.#whole(() => {
      begun = performance.now();
      this.#moveWatermark(batch);
      const ids = this.#hits.append(batch);
      const { ofLinkHours, organizations } = placeVisitors(
        batch.linkHours,
        this.#insertVisitors(batch.visitors),
      );
      this.#addLinkHours(batch.linkHours, ofLinkHours);
      this.#tidyLinkHours();
      this.#insert('organizationRollups', batch.organizationRollups);
      this.#insert('organizationRollups', organizations);
      this.#insert('linkClicks', batch.linkClicks);
      this.#insertDeliveries(deliveriesOf(this.#linksWithHooks(batch), hitIdOf(batch, ids)));
    });
    this.#lastEnd = performance.now();
    this.#lastPace = (this.#lastEnd - begun) / Math.max(batch.hits.count, minBatch);
  }

  async verifiedHosts(): Promise<readonly string[]> {
    return this.#try(() => {
      const rows = this.#statement('select host from domains where verified_at is not null').values();
      return rows.map(([host]) => String(host));
    });
  }

  async settleSalt(day: number, fresh: Uint8Array): Promise<Uint8Array> {
    return this.#whole(() => {
      const text = Buffer.from(fresh).toString('base64');
      this.#statement('insert into daily_salts (day, salt) values (?, ?) on conflict do nothing').run(
        day,
        text,
      );
      const row = this.#statement('select salt from daily_salts where day = ?').get(day);
      return Buffer.from((row as { salt: string }).salt, 'base64');
    });
  }

  async deleteSaltsBefore(day: number): Promise<void> {
    this.#try(() => this.#statement('delete from daily_salts where day < ?').run(day));
  }

  async deleteVisitorsBefore(day: number): Promise<boolean> {
    return this.#deleteSome(
      `delete from daily_visitors where (day, owner, visitor) in
       (select day, owner, visitor from daily_visitors where day < ? limit ${deletedAtOnce})`,
      day,
    );
  }

  async deleteHitsBefore(at: number): Promise<boolean> {
    return this.#whole(() => this.#hits.deleteBefore(at));
  }

  async close(): Promise<void> {
    for (const statement of this.#prepared.values()) statement.finalize();
    for (const table of Object.values(this.#into)) table.close();
    this.#hits.close();
    this.#database.close();
  }

  /** Changes with every commit of another connection. */
  #othersVersion(): number {
    return (this.#statement('pragma data_version').get() as { data_version: number }).data_version;
  }

  get #othersWrite(): boolean {
    return performance.now() - this.#othersWroteAt < othersPause;
  }

  async #letOthersIn(): Promise<void> {
    const rest = this.#lastEnd + othersLook - performance.now();
    if (rest > 0) await Bun.sleep(rest);
  }

  /**
   * Whether others did more than fold their journals, as each worker does all the time: such turns wait for each
   * other.
   */
  #isMoreThanFolds(): boolean {
    const [folds, links] = [this.#othersFolds(), this.#newestOfLinks()];
    const isMore = folds === this.#seenFolds || links !== this.#seenLinks;
    this.#seenFolds = folds;
    this.#seenLinks = links;
    return isMore;
  }

  #othersFolds(): string {
    const rows = this.#statement('select node, segment, byte_offset from journal_watermarks').values();
    return rows.filter(([node]) => !this.#ownJournals.has(String(node))).join(' ');
  }

  #newestOfLinks(): string {
    const [row] = this.#statement(
      'select (select max(id) from links), (select max(id) from changes)',
    ).values();
    return String(row);
  }

  #moveWatermark({ journal, from, to }: FoldBatch): void {
    const { changes } =
      from === null
        ? this.#statement(
            'insert into journal_watermarks (node, segment, byte_offset) values (?, ?, ?) on conflict do nothing',
          ).run(journal, to.segment, to.offset)
        : this.#statement(
            'update journal_watermarks set segment = ?, byte_offset = ? where node = ? and segment = ? and byte_offset = ?',
          ).run(to.segment, to.offset, journal, from.segment, from.offset);
    if (changes !== 1) throw new JournalTaken(journal);
  }

  /** Row after row. */
  #insert(table: Table, rows: Float64Array): void {
    const width = insertions[table].columns;
    this.#into[table].insert(columnsOf(rows, width), rows.length / width);
  }

  #addLinkHours({ numbers, counts }: LinkHours, visitors: Float64Array): void {
    const columns = [...columnsOf(numbers, linkHourColumns.length), visitors, counts];
    this.#into.linkHours.insert(columns, counts.length);
  }

  /** Sorts counts that were appended to again and again. */
  #tidyLinkHours(): void {
    const loose = this.#statement(looseHours).values();
    const tidy = this.#statement(
      'update link_hours set counts = ?, loose = 0 where link_id = ? and hour = ?',
    );
    for (const [link, hour, counts] of loose)
      tidy.run(tidyCounts(String(counts)), Number(link), Number(hour));
  }

  /** An owner's visitors share a statement, which says how many of them were new. */
  #insertVisitors(groups: readonly DayVisitors[]): NewVisitors[] {
    const sizes = visitorsTogether.map((together) => ({
      together,
      statement: this.#visitorInsertion(together),
      values: new Array<number>(together + 2),
    }));
    return groups.map(({ day, owner, visitors }) => {
      let count = 0;
      let from = 0;
      for (const { together, statement, values } of sizes) {
        for (; from + together <= visitors.length; from += together) {
          values[0] = day;
          values[1] = owner;
          for (let at = 0; at < together; at++) values[at + 2] = visitors[from + at] ?? 0;
          count += statement.run(values).changes;
          breathe();
        }
      }
      return { day, owner, count };
    });
  }

  #visitorInsertion(rows: number): Statement {
    const row = Array.from({ length: rows }, (_, index) => `(?1, ?2, ?${index + 3})`);
    return this.#statement(
      `insert into daily_visitors (day, owner, visitor) values ${row.join(', ')} on conflict do nothing`,
    );
  }

  #linksWithHooks(batch: FoldBatch) {
    const hasHooks = this.#statement(
      `select exists (${linksWithHooks('true', 'indexed by links_hooked')}) as has`,
    );
    const links = (hasHooks.get() as { has: number }).has === 1 ? clickedLinks(batch) : [];
    if (links.length === 0) return byId([]);
    const sql = linksWithHooks('links.id in (select value from json_each(?))', 'indexed by links_hooked');
    return byId(this.#statement(sql).all(JSON.stringify(links)) as HookedLink[]);
  }

  #insertDeliveries(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const columns = Object.keys(delivery);
      const sql = `insert into webhook_deliveries (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
      this.#statement(sql).run(...(Object.values(delivery) as (string | number | null)[]));
    }
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const made = this.#database.prepare(sql);
    this.#prepared.set(sql, made);
    return made;
  }

  #deleteSome(sql: string, before: number): boolean {
    return this.#try(() => this.#statement(sql).run(before).changes >= deletedAtOnce);
  }

  #whole<T>(work: () => T): T {
    return this.#try(() => {
      this.#database.run('begin immediate');
      try {
        const result = work();
        this.#database.run('commit');
        return result;
      } catch (cause) {
        // A full disk ends the transaction by itself.
        if (this.#database.inTransaction) this.#database.run('rollback');
        throw cause;
      }
    });
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      const { code = '', message } = cause as { code?: string; message: string };
      throw /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|LOCKED)/.test(code)
        ? new StoreAway(message, { cause })
        : cause;
    }
  }
}

function columnsOf(rows: Float64Array, width: number): Float64Array[] {
  const count = rows.length / width;
  const columns = Array.from({ length: width }, () => new Float64Array(count));
  for (let index = 0; index < width; index++) {
    const column = columns[index];
    for (let row = 0; column !== undefined && row < count; row++)
      column[row] = rows[row * width + index] ?? 0;
  }
  return columns;
}
