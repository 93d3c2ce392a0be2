import { type HitColumn, hitColumns } from '../../rules/click-fields.ts';
import type { Column } from '../fold-store.ts';
import type { StoredHit } from '../ledger.ts';
import { copyCells, type HitPack } from '../packs/hit-pack.ts';
import type { Rows } from '../packs/pack-writer.ts';
import type { ColumnOrValue } from './chunk-column.ts';

/**
 * Hits of one organization column by column, with their stored reasons: what a chunk is made of. Those of a link are sorted by
 * id.
 */
export interface HitsToStore {
  readonly count: number;
  readonly ids: Float64Array;
  column(name: HitColumn): ColumnOrValue;
}

/** Stored hits of one organization column by column, with their stored reasons. As objects, each of them cost 2 µs more. */
export class StoredColumns implements HitsToStore {
  #count = 0;
  readonly #ids: Float64Array;
  readonly #columns: readonly StoredColumn[];

  /** `room` is the maximum number of hits. */
  constructor(room: number) {
    this.#ids = new Float64Array(room);
    this.#columns = hitColumns.map(() => new StoredColumn(room));
  }

  get count(): number {
    return this.#count;
  }

  get ids(): Float64Array {
    return this.#ids.subarray(0, this.#count);
  }

  column(name: HitColumn): ColumnOrValue {
    const column = this.#columns[hitColumns.indexOf(name)];
    if (column === undefined) throw new Error(`hits have no column ${name}`);
    return column.of(this.#count);
  }

  addPack(pack: HitPack): void {
    const first = this.#count;
    for (const [index, column] of this.#columns.entries()) column.addPack(pack, index, first);
    for (let row = 0; row < pack.count; row++) this.#ids[first + row] = pack.id + row;
    this.#count += pack.count;
  }

  addHit(hit: StoredHit): void {
    this.addRow(
      hit.id,
      hitColumns.map((name) => hit[name]),
    );
  }

  /** The cells of a row of `hits`, in the order of `hitColumns`. */
  addRow(id: number, cells: readonly number[]): void {
    this.#ids[this.#count] = id;
    for (let index = 0; index < this.#columns.length; index++)
      this.#columns[index]?.add(cells[index] ?? 0, this.#count);
    this.#count += 1;
  }
}

/** Most columns of most hits have one value throughout: memory is only taken for those with more. */
class StoredColumn {
  readonly #room: number;
  #value = 0;
  #cells: Float64Array | null = null;

  constructor(room: number) {
    this.#room = room;
  }

  of(count: number): ColumnOrValue {
    return this.#cells === null ? this.#value : this.#cells.subarray(0, count);
  }

  /** Adds a row, after all rows before it. */
  add(value: number, row: number): void {
    if (!this.#addAsOneValue(value, row)) this.#withCells(row)[row] = value;
  }

  addPack(pack: HitPack, index: number, first: number): void {
    const column = pack.stored(index);
    if (typeof column !== 'number') copyCells(column, this.#withCells(first), first);
    else if (!this.#addAsOneValue(column, first))
      this.#withCells(first).fill(column, first, first + pack.count);
  }

  /** Adds rows without writing cells if the column has one value throughout with them; otherwise returns false. */
  #addAsOneValue(value: number, first: number): boolean {
    if (first === 0) this.#value = value;
    return this.#cells === null && value === this.#value;
  }

  #withCells(first: number): Float64Array {
    this.#cells ??= new Float64Array(this.#room).fill(this.#value, 0, first);
    return this.#cells;
  }
}

/** A part of a batch, without copying if its rows are already sorted: from `from` up to `to`, with ids from `firstId` on. */
export class BatchPart implements HitsToStore {
  readonly count: number;
  readonly ids: Float64Array;
  readonly #columns: readonly Column[];
  readonly #rows: Rows;
  readonly #from: number;

  constructor(
    columns: readonly Column[],
    rows: Rows,
    { from, to }: { readonly from: number; readonly to: number },
    firstId: number,
  ) {
    this.#columns = columns;
    this.#rows = rows;
    this.#from = from;
    this.count = to - from;
    this.ids = new Float64Array(this.count);
    for (let row = 0; row < this.count; row++) this.ids[row] = firstId + row;
  }

  column(name: HitColumn): Column {
    const column = this.#columns[hitColumns.indexOf(name)];
    if (column === undefined) throw new Error(`hits have no column ${name}`);
    const [from, rows] = [this.#from, this.#rows];
    if (rows === null) return column.subarray(from, from + this.count);
    const selected = new Float64Array(this.count);
    for (let row = 0; row < selected.length; row++) selected[row] = column[rows[from + row] ?? 0] ?? 0;
    return selected;
  }
}

export function columnsOfHits(hits: readonly StoredHit[]): StoredColumns {
  const columns = new StoredColumns(hits.length);
  for (const hit of hits) columns.addHit(hit);
  return columns;
}
