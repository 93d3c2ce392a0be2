import type { Database, Statement } from 'bun:sqlite';
import { hitColumns } from '../rules/click-fields.ts';
import { yieldCore } from '../threads/yield-core.ts';
import type { Column, FoldBatch, Hits } from './fold-store.ts';
import { HitPack, maxInPack, minInPack, type PackRow, PackWriter, type Rows } from './hit-pack.ts';
import { RowInsertions } from './row-insertions.ts';
import { deletedAtOnce, deleteOldHits } from './sql-fold-store.ts';

/**
 * Milliseconds. A batch that spans more isn't packed: its oldest hits would be kept until its youngest are old enough to be
 * deleted.
 */
const longestSpan = 3_600_000;
const linkColumn = hitColumns.indexOf('link_id');
const organizationColumn = hitColumns.indexOf('organization_id');
const instantColumn = hitColumns.indexOf('at');
const linksTogether = [256, 32, 4, 1] as const;
/** How many of the oldest packs one deletion looks at. */
const packsLookedAt = 64;

/** Some of an organization's hits: rows from `from` up to `to`. */
interface Part {
  readonly organizationId: number;
  readonly from: number;
  readonly to: number;
}

/** Where the hits of a batch are written. */
interface Packing {
  /** Rows that went into packs, in the order of their ids; null: all of them, in their own order. */
  readonly packed: Rows;
  /** Hits that are written as rows, and which rows of the batch they are; null: all of them. */
  readonly left: Hits;
  readonly leftRows: readonly number[] | null;
}

const unpacked = (hits: Hits): Packing => ({ packed: new Int32Array(), left: hits, leftRows: null });

/**
 * The ids of a batch of `count` hits, row by row, when all of it was just inserted: packs have the first ids in a row, rows
 * the last, up to `newest`.
 */
function idsOf({ packed, leftRows }: Packing, count: number, newest: number): Float64Array {
  const ids = new Float64Array(count);
  let id = newest - count + 1;
  for (let at = 0; at < (packed?.length ?? count); at++) ids[packed?.[at] ?? at] = id++;
  if (packed === null) return ids;
  for (let at = 0; at < (leftRows?.length ?? count); at++) ids[leftRows?.[at] ?? at] = id++;
  return ids;
}

/** The ledger of a SQLite store as the fold writes it: the hits of long batches in packs, the others as rows. */
export class SqliteHits {
  readonly #statement: (sql: string) => Statement;
  readonly #rows: RowInsertions;
  readonly #writer = new PackWriter();
  /** Link and pack, in turns. */
  #links: number[] = [];

  constructor(database: Database, statement: (sql: string) => Statement) {
    this.#statement = statement;
    const insertion = { head: `insert into hits (${hitColumns.join(', ')})`, columns: hitColumns.length };
    this.#rows = new RowInsertions(database, insertion, {
      differs: instantColumn,
      together: [512, 128, 32, 8, 1],
    });
  }

  /** Returns a function that gives their ids, as long as nothing else is inserted. */
  append({ isByLink, hits }: Pick<FoldBatch, 'isByLink' | 'hits'>): () => Float64Array {
    const packing = isByLink ? this.#pack(hits) : unpacked(hits);
    this.#rows.insert(packing.left.columns, packing.left.count);
    return () => idsOf(packing, hits.count, this.#newestId());
  }

  /** Deletes a part of the packs and rows that are older. Returns whether there may be more. */
  deleteBefore(at: number): boolean {
    const hasMorePacks = this.#deletePacksBefore(at);
    const rows = this.#statement(deleteOldHits).all(at);
    return hasMorePacks || rows.length >= deletedAtOnce;
  }

  close(): void {
    this.#rows.close();
  }

  /** Hits come link by link. Those that are left over must be inserted as rows. */
  #pack(hits: Hits): Packing {
    if (spanOf(hits.columns[instantColumn], hits.count) > longestSpan) return unpacked(hits);
    const { parts, rows, left, leftRows } = partsOf(hits);
    const packing = { packed: rows, left, leftRows };
    if (parts.length === 0) return packing;
    this.#links = [];
    this.#writer.begin(hits, rows);
    let id = this.#newestId() + 1;
    for (const { organizationId, from, to } of parts) {
      const packs = Math.ceil((to - from) / maxInPack);
      for (let pack = 0; pack < packs; pack++) {
        const start = from + Math.floor(((to - from) * pack) / packs);
        const end = from + Math.floor(((to - from) * (pack + 1)) / packs);
        this.#insertPack(id, { organizationId, from: start, to: end });
        this.#noteLinks(id, hits.columns[linkColumn], rows, start, end);
        id += end - start;
        yieldCore();
      }
    }
    this.#setNewestId(id - 1);
    this.#insertLinks();
    return packing;
  }

  #insertPack(id: number, { organizationId, from, to }: Part): void {
    const cells = this.#writer.pack(from, to);
    this.#statement(
      'insert into hit_packs (id, organization_id, hits, first_at, last_at, cells) values (?, ?, ?, ?, ?, ?)',
    ).run(id, organizationId, to - from, ...this.#writer.ends('at'), cells);
  }

  #noteLinks(id: number, ofLink: Column | undefined, rows: Rows, from: number, to: number): void {
    let before = Number.NaN;
    for (let at = from; at < to; at++) {
      const link = ofLink?.[rows === null ? at : (rows[at] ?? 0)] ?? 0;
      if (link !== before) this.#links.push(link, id);
      before = link;
    }
  }

  #insertLinks(): void {
    const cells = this.#links;
    let from = 0;
    for (const together of linksTogether) {
      const statement = this.#statement(
        `insert into hit_pack_links (link_id, pack_id) values ${Array(together).fill('(?, ?)').join(', ')}`,
      );
      const values = new Array<number>(together * 2);
      for (; from + values.length <= cells.length; from += values.length) {
        for (let at = 0; at < values.length; at++) values[at] = cells[from + at] ?? 0;
        statement.run(values);
        yieldCore();
      }
    }
  }

  /** Rows and packs have their ids from one sequence, so that each id is one hit's, and a later one's is greater. */
  #newestId(): number {
    const row = this.#statement("select seq from sqlite_sequence where name = 'hits'").get();
    return (row as { seq: number } | null)?.seq ?? 0;
  }

  /** Packs with about as many hits as rows are deleted at once: a pack may be full, or have few. */
  #deletePacksBefore(at: number): boolean {
    const oldest = this.#statement(
      `select id, hits, cells from (select * from hit_packs order by id limit ${packsLookedAt}) where last_at < ?`,
    ).all(at) as PackRow[];
    let hits = 0;
    let packs = 0;
    for (; packs < oldest.length && hits < deletedAtOnce; packs++) {
      const row = oldest[packs] as PackRow;
      for (const link of new HitPack(row).links)
        this.#statement('delete from hit_pack_links where link_id = ? and pack_id = ?').run(link, row.id);
      this.#statement('delete from hit_packs where id = ?').run(row.id);
      hits += row.hits;
      yieldCore();
    }
    return packs < oldest.length || packs === packsLookedAt;
  }

  #setNewestId(id: number): void {
    const { changes } = this.#statement("update sqlite_sequence set seq = ? where name = 'hits'").run(id);
    if (changes === 0) this.#statement("insert into sqlite_sequence (name, seq) values ('hits', ?)").run(id);
  }
}

function spanOf(instants: Column | undefined, count: number): number {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < count; row++) {
    const instant = instants?.[row] ?? 0;
    if (instant < first) first = instant;
    if (instant > last) last = instant;
  }
  return last - first;
}

/** Sorts the rows by organization; those of one keep their order. */
function partsOf({ columns, count }: Hits): { parts: Part[]; rows: Rows; left: Hits; leftRows: number[] } {
  const sums = new Map<number, number>();
  eachRun(columns[organizationColumn], count, (id, from, to) =>
    sums.set(id, (sums.get(id) ?? 0) + to - from),
  );
  const none = { columns, count: 0 };
  const [only] = sums.keys();
  if (sums.size === 1 && only !== undefined)
    return { parts: [{ organizationId: only, from: 0, to: count }], rows: null, left: none, leftRows: [] };
  const next = new Map<number, number>();
  const parts: Part[] = [];
  let before = 0;
  for (const [organizationId, hits] of sums) {
    if (hits < minInPack) continue;
    parts.push({ organizationId, from: before, to: before + hits });
    next.set(organizationId, before);
    before += hits;
  }
  const rows = new Int32Array(before);
  const leftRows: number[] = [];
  eachRun(columns[organizationColumn], count, (id, from, to) => {
    const start = next.get(id);
    for (let row = from; row < to; row++) {
      if (start === undefined) leftRows.push(row);
      else rows[start + row - from] = row;
    }
    if (start !== undefined) next.set(id, start + to - from);
  });
  return {
    parts,
    rows,
    left: leftRows.length === 0 ? none : { columns: taken(columns, leftRows), count: leftRows.length },
    leftRows,
  };
}

/** Calls `take` for each run of equal values. The rows of a link form at most one run. */
function eachRun(
  column: Column | undefined,
  count: number,
  take: (value: number, from: number, to: number) => void,
): void {
  for (let row = 0; row < count; ) {
    const value = column?.[row] ?? 0;
    const from = row++;
    while (row < count && column?.[row] === value) row++;
    take(value, from, row);
    yieldCore();
  }
}

const taken = (columns: readonly Column[], rows: readonly number[]): Column[] =>
  columns.map((column) => Float64Array.from(rows, (row) => column[row] ?? 0));
