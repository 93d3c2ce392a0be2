import { type HitColumn, hitColumns, rollupClassOf } from '../../rules/click-fields.ts';
import { shownReason } from '../../rules/reclassified.ts';
import type { Schema } from '../../storage/schema.ts';
import type { StoredHit } from '../ledger.ts';
import {
  cellsOf,
  columnsIn,
  firstColumns,
  furtherParts,
  roomFor,
  wholeNumber,
  widthsLength,
} from './pack-layout.ts';

export type PackRow = Pick<Schema['hit_packs'], 'id' | 'hits' | 'cells'>;

/** Reads a pack, decoding only the columns that are used. */
export class HitPack {
  /** The id of its first hit; the others follow. */
  readonly id: number;
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #locations: readonly ColumnLocation[];
  readonly #columns = new Map<HitColumn, Float64Array>();

  constructor({ id, hits, cells }: PackRow) {
    this.id = id;
    this.count = hits;
    // The bytes of a database may have any alignment.
    this.#bytes = cells.byteOffset % 8 === 0 ? cells : cells.slice();
    const columns = columnsIn[this.#bytes[0] ?? 0];
    if (columns === undefined) throw new Error(`hits ${id} are packed in a way that is not known here`);
    this.#locations = locationsIn(this.#bytes, hits, widthsLength + columns * 8);
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

  /** The reasons as they are stored: they still contain the class that a hit had before a person changed it. */
  get storedReasons(): Float64Array {
    return this.#read(hitColumns.indexOf('reason'));
  }

  #read(index: number): Float64Array {
    const column = this.stored(index);
    const read = new Float64Array(this.count);
    if (typeof column === 'number') return read.fill(column);
    copyCells(column, read, 0);
    return read;
  }

  /** A column as it is stored, by its index in `hitColumns`; a number if all hits have it. */
  stored(index: number): PackedColumn | number {
    const { min, width, cellsAt } = this.#locations[index] ?? noCells;
    if (width === 0) return min;
    const cells = cellsOf(this.#bytes, cellsAt, width, this.count);
    return { cells, min: width === wholeNumber ? 0 : min };
  }
}

/** Where a column's cells are. */
interface ColumnLocation {
  /** The lowest value, which is subtracted from the cells unless they are doubles. */
  readonly min: number;
  /** 0: all values are `min`. */
  readonly width: number;
  readonly cellsAt: number;
}

const noCells: ColumnLocation = { min: 0, width: 0, cellsAt: 0 };

/** The location of each column; those of the first part begin with the cells at `cellsAt`. */
function locationsIn(bytes: Uint8Array, count: number, cellsAt: number): readonly ColumnLocation[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const locations: ColumnLocation[] = [];
  let at = cellsAt;
  const addPart = (columns: number, widthsAt: number, minsAt: number) => {
    for (let column = 0; column < columns; column++) {
      const width = bytes[widthsAt + column] ?? 0;
      locations.push({ min: view.getFloat64(minsAt + column * 8, true), width, cellsAt: at });
      at += roomFor(count, width);
    }
  };
  addPart(firstColumns, 1, widthsLength);
  for (const { first, end, flagAt, widths } of furtherParts) {
    const columns = end - first;
    if (bytes[flagAt] !== 1) {
      for (let column = 0; column < columns; column++) locations.push(noCells);
      continue;
    }
    const widthsAt = widths === 0 ? 1 + first : at;
    const minsAt = at + widths;
    at = minsAt + columns * 8;
    addPart(columns, widthsAt, minsAt);
  }
  return locations;
}

interface PackedColumn {
  readonly cells: ReturnType<typeof cellsOf>;
  /** To be added to each cell. */
  readonly min: number;
}

/** Copies the values of a column to the rows from `at` on. */
export function copyCells({ cells, min }: PackedColumn, into: Float64Array, at: number): void {
  // The runtime converts cells of another type in a tenth of the time that a loop takes.
  into.set(cells, at);
  const end = at + cells.length;
  if (min !== 0) for (let row = at; row < end; row++) into[row] = (into[row] ?? 0) + min;
}
