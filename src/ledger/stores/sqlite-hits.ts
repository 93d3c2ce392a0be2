import type { Statement } from 'bun:sqlite';
import { hitColumns } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import { yieldCore } from '../../threads/yield-core.ts';
import type { FoldBatch } from '../fold-store.ts';
import type { PackRow } from '../packs/hit-pack.ts';
import { minInPack } from '../packs/pack-layout.ts';
import { PackWriter } from '../packs/pack-writer.ts';
import { idsOf, packingOf, packsOf } from './hit-packing.ts';
import { RowInsertions } from './row-insertions.ts';
import { deletedAtOnce } from './sql-fold-store.ts';
import { deletePack, type SqliteChunks } from './sqlite-chunks.ts';

/** A batch that spans more is written as rows: its oldest hits would be kept until its newest are deleted. */
const maxSpan = hourLength;
const instantColumn = hitColumns.indexOf('at');
/** How many packs one deletion finds. */
const maxPacksDeleted = 64;

/** The fold's writer for the ledger of a SQLite store: the hits of long batches in packs or chunks, the others as rows. */
export class SqliteHits {
  readonly #statement: (sql: string) => Statement;
  readonly #rows: RowInsertions;
  readonly #links: RowInsertions;
  readonly #writer = new PackWriter();
  readonly #chunks: SqliteChunks;

  constructor(statement: (sql: string) => Statement, chunks: SqliteChunks) {
    this.#statement = statement;
    this.#chunks = chunks;
    const insertion = { head: `insert into hits (${hitColumns.join(', ')})`, columns: hitColumns.length };
    this.#rows = new RowInsertions(statement, insertion, instantColumn, [512, 128, 32, 8, 1]);
    const ofLinks = { head: 'insert into hit_pack_links (link_id, pack_id)', columns: 2 };
    this.#links = new RowInsertions(statement, ofLinks, 0);
  }

  /** Returns a function that returns their ids. */
  append(batch: Pick<FoldBatch, 'isByLink' | 'hits' | 'now'>): () => Float64Array {
    const packing = packingOf(batch, {
      minHits: minInPack,
      maxSpan,
      byMonth: false,
      isChunked: (organizationId, hits) => this.#chunks.canAppendDirectly(organizationId, hits),
    });
    const firstId = this.#newestId() + 1;
    const [links, packs]: [number[], number[]] = [[], []];
    for (const pack of packsOf(this.#writer, packing, firstId)) {
      const { id, organizationId, hits, firstAt, lastAt, cells } = pack;
      this.#statement(
        'insert into hit_packs (id, organization_id, hits, first_at, last_at, cells) values (?, ?, ?, ?, ?, ?)',
      ).run(id, organizationId, hits, firstAt, lastAt, cells);
      for (const link of pack.links) {
        links.push(link);
        packs.push(id);
      }
    }
    for (const part of packing.chunks) this.#chunks.append(packing, part, firstId, batch.now);
    const { left } = packing;
    if (left.count < batch.hits.count) this.#setNewestId(firstId + batch.hits.count - left.count - 1);
    this.#links.insert([Float64Array.from(links), Float64Array.from(packs)]);
    this.#rows.insert(left.columns, left.count);
    return () => idsOf(packing, firstId);
  }

  /** Deletes some of the old packs and rows. Returns whether there may be more. */
  deleteBefore(at: number): boolean {
    const hasMorePacks = this.#deletePacksBefore(at);
    return this.#deleteRowsBefore(at) || hasMorePacks;
  }

  /** Rows and packs draw their ids from one sequence, so that each id belongs to one hit, and a later hit has a greater id. */
  #newestId(): number {
    const row = this.#statement("select seq from sqlite_sequence where name = 'hits'").get();
    return (row as { seq: number } | null)?.seq ?? 0;
  }

  #deleteRowsBefore(at: number): boolean {
    const { changes } = this.#statement(
      `delete from hits where id in (select id from hits where at < ? order by at limit ${deletedAtOnce})`,
    ).run(at);
    return changes === deletedAtOnce;
  }

  /** The packs of one deletion are limited by their hits too: a pack may be full or have few. */
  #deletePacksBefore(at: number): boolean {
    const expired = this.#statement(
      `select id from hit_packs where last_at < ? order by last_at limit ${maxPacksDeleted}`,
    ).values(at) as [number][];
    const pack = this.#statement('select id, hits, cells from hit_packs where id = ?');
    let hits = 0;
    for (const [id] of expired) {
      if (hits >= deletedAtOnce) return true;
      const row = pack.get(id) as PackRow;
      deletePack(this.#statement, row);
      hits += row.hits;
      yieldCore();
    }
    return expired.length === maxPacksDeleted;
  }

  #setNewestId(id: number): void {
    const { changes } = this.#statement("update sqlite_sequence set seq = ? where name = 'hits'").run(id);
    if (changes === 0) this.#statement("insert into sqlite_sequence (name, seq) values ('hits', ?)").run(id);
  }
}
