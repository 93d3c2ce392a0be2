import type { Statement } from 'bun:sqlite';
import { hitColumns } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import { yieldCore } from '../../threads/yield-core.ts';
import { type ChunkRow, ChunkScan } from '../chunks/chunk-scan.ts';
import { cellsInSqlite } from '../chunks/chunk-store.ts';
import { chunkOf, type NewChunk } from '../chunks/hit-chunk.ts';
import { deletionsOfChunk, insertionsOfChunk } from '../chunks/sqlite-chunk-rows.ts';
import { BatchPart, columnsOfHits, type StoredColumns } from '../chunks/stored-columns.ts';
import { HitPack, type PackRow } from '../packs/hit-pack.ts';
import type { Packing, Part } from './hit-packing.ts';
import { oldestHits, packsAtOnce } from './oldest-hits.ts';

/**
 * Milliseconds for which hits stay in their rows and packs after they were added to a chunk. A query first looks up to which hit
 * there are chunks, and searches later hits in rows and packs: it must still find those that are added to a chunk meanwhile.
 */
const sourceRetention = 60_000;
/** Milliseconds that a hit may outlive its retention, so that a chunk isn't rewritten for every few hits. */
const keptLonger = hourLength;
/**
 * A batch is written as chunks directly if the hits before it fill at most this many: each takes some 25 ms of the transaction. Packs
 * would cost more, because they become chunks as well, and are deleted later.
 */
const maxMergedBefore = 4;
/** Rows that are deleted with one statement. */
const deletedAtOnce = 8_192;

type StoredChunk = ChunkRow & { readonly made_at: number };

/** With its links. */
export function deletePack(statement: (sql: string) => Statement, pack: PackRow): void {
  for (const link of new HitPack(pack).links)
    statement('delete from hit_pack_links where link_id = ? and pack_id = ?').run(link, pack.id);
  statement('delete from hit_packs where id = ?').run(pack.id);
}

/** Makes chunks from the oldest rows and packs of organizations with many hits. Each call is one transaction's work. */
export class SqliteChunks {
  readonly #statement: (sql: string) => Statement;
  readonly #minHits: number;
  #organizations: number[] | null = null;

  constructor(statement: (sql: string) => Statement, minHits: number) {
    this.#statement = statement;
    this.#minHits = minHits;
  }

  /** Makes one chunk, or deletes some hits that are in chunks. Returns whether there may be more to do. */
  chunkSome(now: number): boolean {
    this.#organizations ??= this.#all('select id from organizations').map(({ id }) => Number(id));
    for (let id = this.#organizations.at(-1); id !== undefined; id = this.#organizations.at(-1)) {
      if (this.#makeChunk(id, now) || this.#deleteSources(id, now - sourceRetention)) return true;
      this.#organizations.pop();
    }
    this.#organizations = null;
    return false;
  }

  /**
   * Whether this many hits of an organization are written as chunks directly, instead of as packs that become chunks: a third of
   * the cost. False if too many others have to be merged before them, or the organization's hits are being corrected.
   */
  canAppendDirectly(organizationId: number, hits: number): boolean {
    return (
      hits >= this.#minHits &&
      !this.#isCorrected(organizationId) &&
      !this.#hasAtLeast(maxMergedBefore * this.#minHits, organizationId, this.#chunkedUpTo(organizationId))
    );
  }

  /** Writes a part of a batch as a chunk, after chunks of the hits that are not in one yet. */
  append({ hits, packed }: Packing, { organizationId, from, to }: Part, firstId: number, now: number): void {
    for (let after = this.#chunkedUpTo(organizationId); this.#hasAtLeast(1, organizationId, after); ) {
      this.#insert(chunkOf(this.#oldest(organizationId, after)), now);
      after = this.#chunkedUpTo(organizationId);
    }
    this.#insert(chunkOf(new BatchPart(hits.columns, packed, { from, to }, firstId + from)), now);
    yieldCore();
  }

  /** Deletes the old hits of one chunk. Returns whether there may be more. */
  deleteBefore(at: number): boolean {
    const chunk = this.#statement(
      `select *, 0 as first_row, hits as end_row from hit_chunks where last_at < ? or first_at < ? limit 1`,
    ).get(at, at - keptLonger) as StoredChunk | null;
    if (chunk === null) return false;
    const cells = cellsInSqlite((sql, parameters) => this.#statement(sql).all(...parameters) as never);
    const scan = new ChunkScan(cells, chunk);
    const left = chunk.last_at < at ? [] : scan.storedHits.filter((hit) => hit.at >= at);
    this.#run(deletionsOfChunk(chunk.id));
    if (left.length > 0) this.#insert(chunkOf(columnsOfHits(left)), chunk.made_at, chunk.id);
    return true;
  }

  /** Up to this id an organization's hits are in chunks. */
  #chunkedUpTo(organizationId: number): number {
    const [row] = this.#all(
      'select last_id from hit_chunks where organization_id = ? order by id desc limit 1',
      organizationId,
    );
    return Number(row?.last_id ?? 0);
  }

  #makeChunk(organizationId: number, now: number): boolean {
    const after = this.#chunkedUpTo(organizationId);
    if (this.#isCorrected(organizationId) || !this.#hasAtLeast(this.#minHits, organizationId, after))
      return false;
    const hits = this.#oldest(organizationId, after);
    if (hits.count < this.#minHits) return false;
    this.#insert(chunkOf(hits), now);
    return true;
  }

  #insert(chunk: NewChunk, madeAt: number, oldId: number | null = null): void {
    const { id } = this.#statement(
      `insert into hit_chunks (id, organization_id, hits, first_id, last_id, first_at, last_at, classes, made_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
    ).get(oldId, ...Object.values(chunk.facts), madeAt) as { id: number };
    this.#run(insertionsOfChunk(id, chunk));
  }

  #hasAtLeast(hits: number, organizationId: number, after: number): boolean {
    const [{ packed = 0 } = {}] = this.#all(
      `select coalesce(sum(hits), 0) as packed from (select hits from hit_packs
         where organization_id = ? and id > ? limit ${hits})`,
      organizationId,
      after,
    );
    const missing = hits - Number(packed);
    if (missing <= 0) return true;
    return (
      this.#all(
        `select id from hits where organization_id = ? and id > ? order by id limit 1 offset ${missing - 1}`,
        organizationId,
        after,
      ).length > 0
    );
  }

  /** During a correction no hit is moved. */
  #isCorrected(organizationId: number): boolean {
    return (
      this.#all(
        'select id from click_corrections where organization_id = ? and finished_at is null limit 1',
        organizationId,
      ).length > 0
    );
  }

  /** The hits with the lowest ids; whole packs only. */
  #oldest(organizationId: number, after: number): StoredColumns {
    const rows = this.#statement(
      `select id, ${hitColumns.join(', ')} from hits
       where organization_id = ? and id > ? order by id limit ${this.#minHits}`,
    ).values(organizationId, after) as number[][];
    const packs = this.#statement(
      'select id, hits, cells from hit_packs where organization_id = ? and id > ? order by id limit ?',
    );
    const oldest = oldestHits(rows, after, this.#minHits);
    let step = oldest.next();
    while (!step.done) step = oldest.next(packs.all(organizationId, step.value, packsAtOnce) as PackRow[]);
    return step.value;
  }

  /** Deletes the rows and packs of hits that have been in a chunk for a while. */
  #deleteSources(organizationId: number, madeBefore: number): boolean {
    const [row] = this.#all(
      `select last_id from hit_chunks where organization_id = ? and made_at <= ? order by id desc limit 1`,
      organizationId,
      madeBefore,
    );
    if (row === undefined) return false;
    const upTo = Number(row.last_id);
    const packs = this.#statement(
      `select id, hits, cells from hit_packs where organization_id = ? and id <= ? limit ${packsAtOnce}`,
    ).all(organizationId, upTo) as PackRow[];
    for (const pack of packs) deletePack(this.#statement, pack);
    const { changes } = this.#statement(
      `delete from hits where id in (select id from hits where organization_id = ? and id <= ?
         order by id limit ${deletedAtOnce})`,
    ).run(organizationId, upTo);
    return packs.length > 0 || changes > 0;
  }

  #run(statements: ReturnType<typeof deletionsOfChunk>): void {
    for (const { sql, parameters } of statements) {
      this.#statement(sql).run(...parameters);
      yieldCore();
    }
  }

  #all(sql: string, ...parameters: (number | string)[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...parameters) as Record<string, unknown>[];
  }
}
