import { type HitColumn, hitColumns } from '../../rules/click-fields.ts';
import type { Column, Hits } from '../fold-store.ts';
import { isConstantColumn } from '../is-constant-column.ts';
import {
  cellsAt,
  cellsOf,
  type FurtherPart,
  firstColumns,
  furtherParts,
  maxInPack,
  maxPackLength,
  roomFor,
  version,
  wholeNumber,
  widthsLength,
} from './pack-layout.ts';

/** Selected rows of the columns, in order; null for all rows in their own order. */
export type Rows = Int32Array | null;

/** Makes packs. Its memory is reused: a pack is valid until the next one is made. */
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

  /** The following packs are made from these hits. */
  begin({ columns, count }: Hits, rows: Rows): void {
    this.#columns = columns;
    this.#rows = rows;
    this.#varying = hitColumns
      .map((_, index) => index)
      .filter((index) => !isConstantColumn(columns[index], count));
    this.#bytes.fill(0, 1, widthsLength);
    for (let index = 0; index < hitColumns.length; index++) {
      this.#mins[index] = columns[index]?.[0] ?? 0;
      this.#maxs[index] = this.#mins[index] ?? 0;
    }
  }

  /** Packs the rows from `from` up to `to`. */
  pack(from: number, to: number): Uint8Array {
    const count = to - from;
    let end = this.#writeColumns(0, firstColumns, 1, cellsAt, from, count);
    this.#writeDoubles(widthsLength, this.#mins.subarray(0, firstColumns));
    for (const part of furtherParts) end = this.#writePart(part, end, from, count);
    return this.#bytes.subarray(0, end);
  }

  /** Returns the end of the part. */
  #writePart({ first, end, flagAt, widths }: FurtherPart, at: number, from: number, count: number): number {
    const minsAt = at + widths;
    this.#bytes.fill(0, at, minsAt);
    const widthsAt = widths === 0 ? 1 + first : at;
    const after = this.#writeColumns(first, end, widthsAt, minsAt + (end - first) * 8, from, count);
    const mins = this.#mins.subarray(first, end);
    const hasAny = mins.some((min, index) => min > 0 || (this.#maxs[first + index] ?? 0) > 0);
    this.#bytes[flagAt] = Number(hasAny);
    if (!hasAny) return at;
    this.#writeDoubles(minsAt, mins);
    return after;
  }

  /** Writes the columns from `first` up to `end`, their cells from `at` on. */
  #writeColumns(
    first: number,
    end: number,
    widthsAt: number,
    at: number,
    from: number,
    count: number,
  ): number {
    let after = at;
    for (const index of this.#varying) {
      if (index < first || index >= end) continue;
      this.#take(this.#columns[index], index, from, count);
      after += this.#write(index, widthsAt + index - first, after, count);
    }
    return after;
  }

  #writeDoubles(at: number, values: Float64Array): void {
    new Float64Array(this.#bytes.buffer, at, values.length).set(values);
  }

  /** The minimum and maximum of a column in the last pack. */
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

  /** Returns the number of bytes that the cells take. */
  #write(index: number, widthAt: number, at: number, count: number): number {
    const min = this.#mins[index] ?? 0;
    const width = widthOf((this.#maxs[index] ?? 0) - min, min);
    this.#bytes[widthAt] = width;
    if (width === 0) return 0;
    const values = this.#values;
    if (width !== wholeNumber) for (let row = 0; row < count; row++) values[row] = (values[row] ?? 0) - min;
    // The runtime converts cells of another type in a tenth of the time that a loop takes.
    cellsOf(this.#bytes, at, width, count).set(values.subarray(0, count));
    return roomFor(count, width);
  }
}

/** A loop for each type of column: one for all of them takes ten times as long. */
function gather(column: Column, rows: Int32Array, from: number, into: Float64Array, count: number): void {
  if (column instanceof Float64Array)
    for (let index = 0; index < count; index++) into[index] = column[rows[from + index] ?? 0] ?? 0;
  else for (let index = 0; index < count; index++) into[index] = column[rows[from + index] ?? 0] ?? 0;
}

function widthOf(range: number, min: number): number {
  if (range === 0) return 0;
  // Our clocks give no fractions; a test's may.
  if (!Number.isInteger(range) || !Number.isInteger(min)) return wholeNumber;
  if (range < 2 ** 8) return 1;
  if (range < 2 ** 16) return 2;
  return range < 2 ** 32 ? 4 : wholeNumber;
}
