import type { HitColumn } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import { isInSorted } from '../../structures/sorted-numbers.ts';
import type { HitFilter, StoredHit, Times } from '../ledger.ts';
import { type CodedColumn, type Codes, codeOf, readCoded, readDifferences, valueAt } from './chunk-column.ts';
import type { ChunkCells } from './chunk-store.ts';
import { type ChunkTally, readTally } from './chunk-tally.ts';
import { type ChunkColumn, type ChunkFacts, keptColumns } from './hit-chunk.ts';

/** A chunk, and which of its rows belong to the owner. */
export interface ChunkRow extends Omit<ChunkFacts, 'classes'> {
  readonly id: number;
  readonly first_row: number;
  readonly end_row: number;
  /** Changes when a chunk is made again under the same id; only on a server. */
  readonly version: string;
}

/** Whether all hits of a chunk are in this time range. */
export const liesWithin = (
  { first_at, last_at }: Pick<ChunkRow, 'first_at' | 'last_at'>,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Times,
): boolean => from <= first_at && to > last_at;

/** Whether all hits of a chunk pass a filter, whatever their classes. */
export const passesWhole = (chunk: ChunkRow, filter: HitFilter): boolean =>
  chunk.end_row - chunk.first_row === chunk.hits &&
  (filter.values ?? []).length === 0 &&
  filter.owner.links === undefined &&
  liesWithin(chunk, filter);

/** At least as long as a chunk has rows. */
let rows = new Int32Array(0);
/** 0, 1, 2, …: copying it is faster than filling `rows` in a loop. */
let allRows = new Int32Array(0);
let zeros = new Uint8Array(0);
/** Most chunks have at most this many rows: buffers start at this size. */
const minRows = 2 ** 15;
const zeroColumn: CodedColumn = { values: new Float64Array(1), codes: null };
/** A flag for each code of a chunk: whether its value is requested. */
const requestedCodes = new Uint8Array(2 ** 16);

/** The rows of a chunk that pass a filter. Reads only the columns needed for that. */
export class ChunkScan {
  readonly row: ChunkRow;
  #store: ChunkCells;
  readonly #coded = new Map<ChunkColumn, CodedColumn>();
  #count = 0;

  constructor(store: ChunkCells, row: ChunkRow) {
    this.#store = store;
    this.row = row;
    if (row.hits <= rows.length) return;
    allRows = Int32Array.from({ length: Math.max(row.hits, minRows) }, (_, index) => index);
    rows = allRows.slice();
    zeros = new Uint8Array(rows.length);
  }

  /** The rows that pass. Valid until another chunk is scanned. */
  get passed(): Int32Array {
    return rows.subarray(0, this.#count);
  }

  /** Further columns are read from these cells. */
  readFrom(cells: ChunkCells): void {
    this.#store = cells;
  }

  coded(column: ChunkColumn): CodedColumn {
    return this.#coded.getOrInsertComputed(column, () => {
      const cells = this.#cells(column);
      return cells === undefined ? zeroColumn : readCoded(cells, this.row.hits);
    });
  }

  differences(column: 'id' | 'milliseconds'): Float64Array {
    const cells = this.#cells(column);
    if (cells === undefined) throw new Error(`chunk ${this.row.id} has no column ${column}`);
    return readDifferences(cells, this.row.hits);
  }

  /** Returns the number of rows that pass. */
  select({ owner: { links }, classes, values = [], ...times }: HitFilter): number {
    this.#begin();
    const passes =
      values.every(([column, value]) => this.#keepValue(column, value)) &&
      (links === undefined || this.#keepListed(this.coded('link_id'), isInSorted(links))) &&
      (classes === undefined ||
        this.#keepListed(this.coded('rollup_class'), (one) => classes.includes(one))) &&
      (liesWithin(this.row, times) || this.#keepTimes(times));
    if (!passes) this.#count = 0;
    return this.#count;
  }

  /** Keeps the rows with ids between `above` and `below`, both exclusive. Returns how many. */
  keepIds(above: number, below: number): number {
    if (this.row.first_id > above && this.row.last_id < below) return this.#count;
    const ids = this.differences('id');
    let kept = 0;
    for (let at = 0; at < this.#count; at++) {
      const row = rows[at] ?? 0;
      const id = ids[row] ?? 0;
      if (id > above && id < below) rows[kept++] = row;
    }
    this.#count = kept;
    return kept;
  }

  /** The counts of all its hits, computed with the chunk; null if they don't answer the query or don't exist. */
  tallyOf(column: ChunkColumn, filter: HitFilter): ChunkTally | null {
    if (!passesWhole(this.row, filter)) return null;
    const found = this.#store.tally(this.row.id, column);
    return found === undefined ? null : readTally(found);
  }

  /** The number of passing rows for each value of this column and each class: `counts[value * classes + class]`. */
  tally(by: CodedColumn, classes: CodedColumn): Int32Array {
    const classCount = classes.values.length;
    const counts = new Int32Array(by.values.length * classCount);
    const classCodes = classes.codes instanceof Uint8Array ? classes.codes : zeros;
    if (by.codes instanceof Uint16Array) tallyWords(by.codes, classCodes, this.#count, classCount, counts);
    else tallyBytes(by.codes ?? zeros, classCodes, this.#count, classCount, counts);
    return counts;
  }

  /** All hits, with their stored reasons. */
  get storedHits(): StoredHit[] {
    const hits = this.hitsOf(Array.from({ length: this.row.hits }, (_, row) => row));
    const cells = this.#cells('stored_reason');
    if (cells === undefined) return hits;
    const reasons = readCoded(cells, this.row.hits);
    return hits.map((hit, row) => ({ ...hit, reason: valueAt(reasons, row) }));
  }

  /** The hits of these rows, in this order. */
  hitsOf(chosen: readonly number[]): StoredHit[] {
    const ids = this.differences('id');
    const milliseconds = this.differences('milliseconds');
    const hours = this.coded('hour');
    return chosen.map((row) => {
      const hit: Record<string, number> = {
        id: ids[row] ?? 0,
        organization_id: this.row.organization_id,
        at: valueAt(hours, row) * hourLength + (milliseconds[row] ?? 0),
      };
      for (const name of keptColumns) hit[name] = valueAt(this.coded(name), row);
      return hit as StoredHit;
    });
  }

  #cells(column: ChunkColumn): Uint8Array | undefined {
    return this.#store.column(this.row.id, column);
  }

  #begin(): void {
    const { first_row, end_row } = this.row;
    rows.set(allRows.subarray(first_row, end_row));
    this.#count = end_row - first_row;
  }

  #keepValue(name: HitColumn, value: number): boolean {
    if (name === 'organization_id') return value === this.row.organization_id;
    if (name === 'at') return this.#keepTimes({ from: value, to: value + 1 });
    const column = this.coded(name);
    const code = codeOf(column, value);
    if (code < 0 || column.codes === null) return code >= 0;
    requestedCodes.fill(0, 0, column.values.length);
    requestedCodes[code] = 1;
    return this.#keepRequested(column.codes);
  }

  #keepListed({ values, codes }: CodedColumn, isRequested: (value: number) => boolean): boolean {
    let listed = 0;
    for (let code = 0; code < values.length; code++) {
      requestedCodes[code] = Number(isRequested(values[code] ?? 0));
      listed += requestedCodes[code] ?? 0;
    }
    if (listed === 0 || listed === values.length || codes === null) return listed > 0;
    return this.#keepRequested(codes);
  }

  #keepRequested(codes: NonNullable<Codes>): boolean {
    this.#count = codes instanceof Uint8Array ? keepBytes(codes, this.#count) : keepWords(codes, this.#count);
    return this.#count > 0;
  }

  #keepTimes({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Times): boolean {
    const isWhole = [from, to].every((end) => !Number.isFinite(end) || end % hourLength === 0);
    const hours = this.coded('hour');
    const overlaps = (hour: number) => (hour + 1) * hourLength > from && hour * hourLength < to;
    if (!this.#keepListed(hours, overlaps)) return false;
    if (isWhole) return true;
    const milliseconds = this.differences('milliseconds');
    let kept = 0;
    for (let at = 0; at < this.#count; at++) {
      const row = rows[at] ?? 0;
      const instant = valueAt(hours, row) * hourLength + (milliseconds[row] ?? 0);
      if (instant >= from && instant < to) rows[kept++] = row;
    }
    this.#count = kept;
    return kept > 0;
  }
}

// A loop that has processed cells of two widths takes ten times as long, so each loop exists twice. A loop that branches on each
// comparison takes up to five times as long, because the processor can't predict the branch: so a row is written before it is
// known whether it is kept.

function keepBytes(codes: Uint8Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] ?? 0;
    rows[kept] = row;
    kept += requestedCodes[codes[row] ?? 0] ?? 0;
  }
  return kept;
}

function keepWords(codes: Uint16Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] ?? 0;
    rows[kept] = row;
    kept += requestedCodes[codes[row] ?? 0] ?? 0;
  }
  return kept;
}

function tallyBytes(
  codes: Uint8Array,
  classes: Uint8Array,
  count: number,
  classCount: number,
  counts: Int32Array,
): void {
  for (let at = 0; at < count; at++) {
    const row = rows[at] ?? 0;
    const index = (codes[row] ?? 0) * classCount + (classes[row] ?? 0);
    counts[index] = (counts[index] ?? 0) + 1;
  }
}

function tallyWords(
  codes: Uint16Array,
  classes: Uint8Array,
  count: number,
  classCount: number,
  counts: Int32Array,
): void {
  for (let at = 0; at < count; at++) {
    const row = rows[at] ?? 0;
    const index = (codes[row] ?? 0) * classCount + (classes[row] ?? 0);
    counts[index] = (counts[index] ?? 0) + 1;
  }
}
