import type { Selectable } from 'kysely';
import { type Column, hitColumns, noVisitor } from './fold-store.ts';
import { rollupClassOf } from './rollup-class.ts';
import type { Schema } from './schema.ts';

export type StoredHit = Selectable<Schema['hits']>;
export type HitColumn = (typeof hitColumns)[number];

/**
 * Hits of one organization as one value, column by column: for each column its least number, and for each hit by how
 * much it has more, in as few bytes as the largest of them needs; none where all have the same. A version and the
 * widths come first, then the least numbers, then the cells of the columns, each from a multiple of eight on.
 */
export const mostInPack = 512;
/** An organization with fewer hits in a stretch has them as rows: a pack has its price. */
export const fewestInPack = 32;
const version = 1;
const widthsLength = 24;
const cellsAt = widthsLength + hitColumns.length * 8;
const longestPack = cellsAt + hitColumns.length * mostInPack * 8;
/** Cells that are no difference but the number itself: of a range that four bytes are too few for. */
const wholeNumber = 8;

/** Which rows of the columns are meant, and in which order; null for the rows themselves. */
export type Rows = Int32Array | null;

/** Makes packs. Its memory is used again: a pack is good until the next one. */
export class PackWriter {
  readonly #bytes = new Uint8Array(longestPack);
  readonly #least = new Float64Array(this.#bytes.buffer, widthsLength, hitColumns.length);
  readonly #values = new Float64Array(mostInPack);

  /** Of the rows from `from` on, `count` of them. */
  pack(columns: readonly Column[], rows: Rows, from: number, count: number): Uint8Array {
    this.#bytes[0] = version;
    let end = cellsAt;
    for (let place = 0; place < hitColumns.length; place++) {
      const column = columns[place];
      if (column === undefined) throw new Error(`no column ${hitColumns[place]}`);
      end += this.#write(column, rows, from, count, place, end);
    }
    return this.#bytes.subarray(0, end);
  }

  /** Returns how many bytes the cells take. */
  #write(column: Column, rows: Rows, from: number, count: number, place: number, at: number): number {
    const values = this.#values;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < count; index++) {
      const row = from + index;
      const value = column[rows === null ? row : (rows[row] ?? 0)] ?? 0;
      values[index] = value;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const width = widthOf(most - least, least);
    this.#bytes[1 + place] = width;
    this.#least[place] = least;
    if (width === 0) return 0;
    const cells = cellsOf(this.#bytes, at, width, count);
    const base = width === wholeNumber ? 0 : least;
    for (let index = 0; index < count; index++) cells[index] = (values[index] ?? 0) - base;
    return Math.ceil((count * width) / 8) * 8;
  }
}

function widthOf(range: number, least: number): number {
  if (range === 0) return 0;
  // A clock of ours gives no fraction; a test's may.
  if (!Number.isInteger(range) || !Number.isInteger(least)) return wholeNumber;
  if (range < 2 ** 8) return 1;
  if (range < 2 ** 16) return 2;
  return range < 2 ** 32 ? 4 : wholeNumber;
}

function cellsOf(bytes: Uint8Array, at: number, width: number, count: number) {
  const start = bytes.byteOffset + at;
  if (width === 1) return new Uint8Array(bytes.buffer, start, count);
  if (width === 2) return new Uint16Array(bytes.buffer, start, count);
  if (width === 4) return new Uint32Array(bytes.buffer, start, count);
  return new Float64Array(bytes.buffer, start, count);
}

/** A row of `hit_packs`. */
export type PackRow = Pick<Schema['hit_packs'], 'id' | 'hits' | 'cells'>;

/** Reads a pack: of each column no more than is asked for. */
export class HitPack {
  /** Its first hit's; the others follow. */
  readonly id: number;
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #columns = new Map<HitColumn, Float64Array>();

  constructor({ id, hits, cells }: PackRow) {
    this.id = id;
    this.count = hits;
    // What comes out of a database may begin anywhere in memory.
    this.#bytes = cells.byteOffset % 8 === 0 ? cells : cells.slice();
    if (this.#bytes[0] !== version) throw new Error(`hits ${id} are packed in a way that is not known here`);
  }

  column(name: HitColumn): Float64Array {
    const known = this.#columns.get(name);
    if (known) return known;
    const read = this.#read(hitColumns.indexOf(name));
    this.#columns.set(name, read);
    return read;
  }

  /** Each link once. */
  get links(): readonly number[] {
    return [...new Set(this.column('link_id'))];
  }

  rollupClass(row: number): number {
    return rollupClassOf(this.column('class')[row] ?? 0, this.column('outcome')[row] ?? 0);
  }

  hit(row: number): StoredHit {
    const hit: Record<string, number | null> = { id: this.id + row };
    for (const name of hitColumns) hit[name] = this.column(name)[row] ?? 0;
    if (hit.visitor === noVisitor) hit.visitor = null;
    return hit as StoredHit;
  }

  #read(place: number): Float64Array {
    const bytes = this.#bytes;
    let at = cellsAt;
    for (let before = 0; before < place; before++)
      at += Math.ceil((this.count * (bytes[1 + before] ?? 0)) / 8) * 8;
    const width = bytes[1 + place] ?? 0;
    const least = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(widthsLength + place * 8, true);
    const read = new Float64Array(this.count);
    if (width === 0) return read.fill(least);
    const cells = cellsOf(bytes, at, width, this.count);
    const base = width === wholeNumber ? 0 : least;
    for (let row = 0; row < this.count; row++) read[row] = (cells[row] ?? 0) + base;
    return read;
  }
}
