import { type HitColumn, hitColumns, rollupClassOf, ruleFields } from '../rules/click-fields.ts';
import { shownReason } from '../rules/reclassified.ts';
import type { Schema } from '../storage/schema.ts';
import type { Column, Hits } from './fold-store.ts';
import type { StoredHit } from './ledger.ts';
import { isOneValue } from './one-value.ts';

/**
 * Hits of one organization as one value, column by column: for each column its minimum, and for each hit by how
 * much it has more, in as few bytes as the largest of them needs; none where all have the same. A version and the
 * widths come first, then the minimums, then the cells of the columns, each from a multiple of eight on.
 */
export const maxInPack = 512;
/** An organization with fewer hits in a batch has them as rows: a pack has a fixed cost. */
export const minInPack = 32;
const version = 2;
/** Columns of the first part. What led visitors comes behind it, in packs that have such hits: programs from before don't look there. */
const firstColumns = hitColumns.indexOf(ruleFields[0]);
/** Version 1 had a column of visitors behind the others. It is passed over. */
const columnsIn: Readonly<Record<number, number>> = { 1: firstColumns + 1, 2: firstColumns };
const widthsLength = 24;
/** Behind the widths of all columns: 1 where there is a second part. It has the minimums of its columns, then their cells. */
const secondPartFlag = widthsLength - 1;
const secondMins = ruleFields.length * 8;
const cellsAt = widthsLength + firstColumns * 8;
const maxPackLength = cellsAt + secondMins + hitColumns.length * maxInPack * 8;
/** Cells that are no difference but the number itself: of a range that four bytes are too few for. */
const wholeNumber = 8;

/** Which rows of the columns are meant, and in which order; null for the rows themselves. */
export type Rows = Int32Array | null;

/** Makes packs. Its memory is used again: a pack is valid until the next one. */
export class PackWriter {
  readonly #bytes = new Uint8Array(maxPackLength);
  readonly #mins = new Float64Array(hitColumns.length);
  readonly #maxs = new Float64Array(hitColumns.length);
  readonly #values = new Float64Array(maxInPack);
  #columns: readonly Column[] = [];
  #rows: Rows = null;
  /** Columns that don't have one value throughout. */
  #varying: readonly number[] = [];

  constructor() {
    this.#bytes[0] = version;
  }

  /** Packs to come have their hits from these. */
  begin({ columns, count }: Hits, rows: Rows): void {
    this.#columns = columns;
    this.#rows = rows;
    this.#varying = hitColumns.map((_, index) => index).filter((index) => !isOneValue(columns[index], count));
    this.#bytes.fill(0, 1, widthsLength);
    for (let index = 0; index < hitColumns.length; index++) {
      this.#mins[index] = columns[index]?.[0] ?? 0;
      this.#maxs[index] = this.#mins[index] ?? 0;
    }
  }

  /** The rows from `from` up to `to`. */
  pack(from: number, to: number): Uint8Array {
    const count = to - from;
    const ofFirst = this.#varying.filter((index) => index < firstColumns);
    const end = this.#writeColumns(ofFirst, cellsAt, from, count);
    this.#writeDoubles(widthsLength, this.#mins.subarray(0, firstColumns));
    return this.#bytes.subarray(0, this.#writeSecondPart(end, from, count));
  }

  /** Returns where it ends. */
  #writeSecondPart(at: number, from: number, count: number): number {
    const columns = this.#varying.filter((index) => index >= firstColumns);
    const end = this.#writeColumns(columns, at + secondMins, from, count);
    const hasAny = this.#mins.some(
      (min, index) => index >= firstColumns && (min > 0 || (this.#maxs[index] ?? 0) > 0),
    );
    this.#bytes[secondPartFlag] = Number(hasAny);
    if (!hasAny) return at;
    this.#writeDoubles(at, this.#mins.subarray(firstColumns));
    return end;
  }

  #writeColumns(columns: readonly number[], at: number, from: number, count: number): number {
    let end = at;
    for (const index of columns) {
      this.#take(this.#columns[index], index, from, count);
      end += this.#write(index, end, count);
    }
    return end;
  }

  #writeDoubles(at: number, values: Float64Array): void {
    new Float64Array(this.#bytes.buffer, at, values.length).set(values);
  }

  /** The minimum and maximum of a column, in the pack that was made last. */
  ends(name: HitColumn): [number, number] {
    const index = hitColumns.indexOf(name);
    return [this.#mins[index] ?? 0, this.#maxs[index] ?? 0];
  }

  #take(column: Column | undefined, index: number, from: number, count: number): void {
    if (column === undefined) throw new Error(`no column ${hitColumns[index]}`);
    const values = this.#values;
    if (this.#rows === null) values.set(column.subarray(from, from + count));
    else gather(column, this.#rows, from, values, count);
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < count; row++) {
      const value = values[row] ?? 0;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    this.#mins[index] = min;
    this.#maxs[index] = max;
  }

  /** Returns how many bytes the cells take. */
  #write(index: number, at: number, count: number): number {
    const min = this.#mins[index] ?? 0;
    const width = widthOf((this.#maxs[index] ?? 0) - min, min);
    this.#bytes[1 + index] = width;
    if (width === 0) return 0;
    const values = this.#values;
    if (width !== wholeNumber) for (let row = 0; row < count; row++) values[row] = (values[row] ?? 0) - min;
    // The runtime converts cells of another type in a tenth of the time that a loop here would take.
    cellsOf(this.#bytes, at, width, count).set(values.subarray(0, count));
    return roomFor(count, width);
  }
}

/** A loop for each kind of column: one for all of them takes ten times as long. */
function gather(column: Column, rows: Int32Array, from: number, into: Float64Array, count: number): void {
  if (column instanceof Float64Array)
    for (let index = 0; index < count; index++) into[index] = column[rows[from + index] ?? 0] ?? 0;
  else for (let index = 0; index < count; index++) into[index] = column[rows[from + index] ?? 0] ?? 0;
}

const roomFor = (count: number, width: number): number => Math.ceil((count * width) / 8) * 8;

function widthOf(range: number, min: number): number {
  if (range === 0) return 0;
  // A clock of ours gives no fraction; a test's may.
  if (!Number.isInteger(range) || !Number.isInteger(min)) return wholeNumber;
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

/** Reads a pack, decoding only the columns that are used. */
export class HitPack {
  /** Its first hit's; the others follow. */
  readonly id: number;
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #cellsAt: number;
  readonly #columns = new Map<HitColumn, Float64Array>();

  constructor({ id, hits, cells }: PackRow) {
    this.id = id;
    this.count = hits;
    // A database's bytes may have any alignment.
    this.#bytes = cells.byteOffset % 8 === 0 ? cells : cells.slice();
    const columns = columnsIn[this.#bytes[0] ?? 0];
    if (columns === undefined) throw new Error(`hits ${id} are packed in a way that is not known here`);
    this.#cellsAt = widthsLength + columns * 8;
  }

  column(name: HitColumn): Float64Array {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = this.#read(hitColumns.indexOf(name));
      if (name === 'reason') column = column.map(shownReason);
      this.#columns.set(name, column);
    }
    return column;
  }

  /** Each link once. */
  get links(): readonly number[] {
    return [...new Set(this.column('link_id'))];
  }

  rollupClass(row: number): number {
    return rollupClassOf(this.column('class')[row] ?? 0, this.column('outcome')[row] ?? 0);
  }

  hit(row: number): StoredHit {
    const hit: Record<string, number> = { id: this.id + row };
    for (const name of hitColumns) hit[name] = this.column(name)[row] ?? 0;
    return hit as StoredHit;
  }

  /** All hits, with their stored reasons. */
  get storedHits(): StoredHit[] {
    const reasons = this.storedReasons;
    return Array.from({ length: this.count }, (_, row) => ({ ...this.hit(row), reason: reasons[row] ?? 0 }));
  }

  /** The reasons as they are stored: what a hit was before a person changed its class is still in them. */
  get storedReasons(): Float64Array {
    return this.#read(hitColumns.indexOf('reason'));
  }

  #read(index: number): Float64Array {
    if (index < firstColumns) return this.#readCells(index, 0, this.#cellsAt, widthsLength);
    if (this.#bytes[secondPartFlag] !== 1) return new Float64Array(this.count);
    const at = this.#cellsAfter(0, firstColumns, this.#cellsAt);
    return this.#readCells(index, firstColumns, at + secondMins, at);
  }

  /** Where the cells of a column are, when those of another begin `at`. */
  #cellsAfter(first: number, index: number, at: number): number {
    let after = at;
    for (let before = first; before < index; before++)
      after += roomFor(this.count, this.#bytes[1 + before] ?? 0);
    return after;
  }

  /** Of a part whose first column is `first`. */
  #readCells(index: number, first: number, cellsFrom: number, minsFrom: number): Float64Array {
    const bytes = this.#bytes;
    const at = this.#cellsAfter(first, index, cellsFrom);
    const width = bytes[1 + index] ?? 0;
    const minAt = minsFrom + (index - first) * 8;
    const min = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(minAt, true);
    const read = new Float64Array(this.count);
    if (width === 0) return read.fill(min);
    const cells = cellsOf(bytes, at, width, this.count);
    const base = width === wholeNumber ? 0 : min;
    for (let row = 0; row < this.count; row++) read[row] = (cells[row] ?? 0) + base;
    return read;
  }
}
