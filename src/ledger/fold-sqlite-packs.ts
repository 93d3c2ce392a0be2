import type { Statement } from 'bun:sqlite';
import { breathe } from '../threads/yield-core.ts';
import { type Column, type Hits, hitColumns } from './fold-store.ts';
import { maxInPack, minInPack, PackWriter, type Rows } from './hit-pack.ts';

/** Milliseconds. What spans more isn't packed: its oldest hits would be kept until its youngest are old enough to go. */
const longestSpan = 3_600_000;
const linkColumn = hitColumns.indexOf('link_id');
const organizationColumn = hitColumns.indexOf('organization_id');
const instantColumn = hitColumns.indexOf('at');
const linksTogether = [256, 32, 4, 1] as const;

/** Some of an organization's hits: from one place to another. */
interface Part {
  readonly organizationId: number;
  readonly from: number;
  readonly to: number;
}

/** Where the hits of a batch go. */
export interface Packing {
  /** Rows that went into packs, in the order of their ids; null: all of them, in their own order. */
  readonly packed: Rows;
  /** What isn't for packs, and which rows of the batch that is; null: all of them. */
  readonly left: Hits;
  readonly leftRows: readonly number[] | null;
}

export const unpacked = (hits: Hits): Packing => ({ packed: new Int32Array(), left: hits, leftRows: null });

/**
 * The ids of a batch of `count` hits, row by row, when all of it was just inserted: packs have the first ids in a row, rows
 * the last, up to `newest`.
 */
export function idsOf({ packed, leftRows }: Packing, count: number, newest: number): Float64Array {
  const ids = new Float64Array(count);
  let id = newest - count + 1;
  for (let at = 0; at < (packed?.length ?? count); at++) ids[packed?.[at] ?? at] = id++;
  if (packed === null) return ids;
  for (let at = 0; at < (leftRows?.length ?? count); at++) ids[leftRows?.[at] ?? at] = id++;
  return ids;
}

/** Writes packs, in the fold's transaction. */
export class HitPackings {
  readonly #statement: (sql: string) => Statement;
  readonly #writer = new PackWriter();
  /** Link and pack, in turns. */
  #links: number[] = [];

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  /** Hits come link by link. Those that are left over are to be inserted as rows. */
  insert(hits: Hits): Packing {
    if (spanOf(hits.columns[instantColumn], hits.count) > longestSpan) return unpacked(hits);
    const { parts, rows, left, leftRows } = partsOf(hits);
    const packing = { packed: rows, left, leftRows };
    if (parts.length === 0) return packing;
    this.#links = [];
    this.#writer.begin(hits, rows);
    let id = this.newestId() + 1;
    for (const { organizationId, from, to } of parts) {
      const packs = Math.ceil((to - from) / maxInPack);
      for (let pack = 0; pack < packs; pack++) {
        const start = from + Math.floor(((to - from) * pack) / packs);
        const end = from + Math.floor(((to - from) * (pack + 1)) / packs);
        this.#insertPack(id, { organizationId, from: start, to: end });
        this.#noteLinks(id, hits.columns[linkColumn], rows, start, end);
        id += end - start;
        breathe();
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
    for (let place = from; place < to; place++) {
      const link = ofLink?.[rows === null ? place : (rows[place] ?? 0)] ?? 0;
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
        breathe();
      }
    }
  }

  /** Rows and packs have their ids from one sequence, so that each id is one hit's, and a later one's is greater. */
  newestId(): number {
    const row = this.#statement("select seq from sqlite_sequence where name = 'hits'").get();
    return (row as { seq: number } | null)?.seq ?? 0;
  }

  #setNewestId(id: number): void {
    const { changes } = this.#statement("update sqlite_sequence set seq = ? where name = 'hits'").run(id);
    if (changes === 0) this.#statement("insert into sqlite_sequence (name, seq) values ('hits', ?)").run(id);
  }
}

function spanOf(instants: Column | undefined, count: number): number {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < count; row++) {
    const instant = instants?.[row] ?? 0;
    if (instant < least) least = instant;
    if (instant > most) most = instant;
  }
  return most - least;
}

/** Organization by organization, those of one as they came: from place to place in the rows. */
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
    const place = next.get(id);
    for (let row = from; row < to; row++) {
      if (place === undefined) leftRows.push(row);
      else rows[place + row - from] = row;
    }
    if (place !== undefined) next.set(id, place + to - from);
  });
  return {
    parts,
    rows,
    left: leftRows.length === 0 ? none : { columns: taken(columns, leftRows), count: leftRows.length },
    leftRows,
  };
}

/** Rows that follow one another and have the same: those of a link, at least. */
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
    breathe();
  }
}

const taken = (columns: readonly Column[], rows: readonly number[]): Column[] =>
  columns.map((column) => Float64Array.from(rows, (row) => column[row] ?? 0));
