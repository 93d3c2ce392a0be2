import type { Database, Statement } from 'bun:sqlite';
import { breathe } from '../threads/yield-core.ts';
import type { Column } from './fold-store.ts';

/** How many statements of one kind are kept; further ones bind every column of every row. */
const maxStatements = 48;
/** With fewer rows there is little to save, and there would be many kinds of statements. */
const fewRows = 32;

/** A column to insert; it may have room for more rows than there are. */
export type Cells = Column | readonly string[];

export interface Insertion {
  /** `insert into` with its columns. */
  readonly head: string;
  /** How many columns are given; `constants` follow them. */
  readonly columns: number;
  readonly constants?: string;
  /** What comes behind the rows. */
  readonly tail?: string;
  /** Some column that differs from row to row: it is never looked at. */
  readonly differs: number;
  /** Where a number stands for null. */
  readonly none?: { readonly column: number; readonly value: number };
  /** Rows of one statement: most of its cost is its start. The last is 1. */
  readonly together: readonly number[];
}

interface Prepared {
  readonly statement: Statement;
  readonly fixed: readonly number[];
  readonly varying: readonly number[];
  /** The bound values: the fixed cells, then those of each row. */
  readonly values: (number | string | null)[];
}

/**
 * Rows of a table, many with one statement. Rows that follow one another have much in common, and more than half of the
 * cost of one was binding its cells: what all rows of a statement have the same is bound once.
 */
export class RowInsertions {
  readonly #database: Database;
  readonly #insertion: Insertion;
  readonly #everyColumn: number;
  readonly #known = new Map<number, Prepared>();

  constructor(database: Database, insertion: Insertion) {
    this.#database = database;
    this.#insertion = insertion;
    this.#everyColumn = 2 ** insertion.columns - 1;
  }

  insert(columns: readonly Cells[], count: number): void {
    let from = 0;
    for (const rows of this.#insertion.together) {
      for (; from + rows <= count; from += rows) {
        const varying = rows < fewRows ? this.#everyColumn : this.#varying(columns, from, rows);
        const prepared = this.#prepare(rows, varying);
        this.#fill(prepared, columns, from, rows);
        prepared.statement.run(prepared.values);
        breathe();
      }
    }
  }

  close(): void {
    for (const { statement } of this.#known.values()) statement.finalize();
  }

  /** A bit for each column. */
  #varying(columns: readonly Cells[], from: number, rows: number): number {
    const { differs } = this.#insertion;
    let varying = 1 << differs;
    for (let place = 0; place < columns.length; place++) {
      const cells = columns[place];
      if (cells !== undefined && place !== differs && !isOneValue(cells, from, rows)) varying |= 1 << place;
    }
    return varying;
  }

  #prepare(rows: number, varying: number): Prepared {
    const key = rows * (this.#everyColumn + 1) + varying;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= maxStatements && varying !== this.#everyColumn)
      return this.#prepare(rows, this.#everyColumn);
    const made = prepared(this.#database, this.#insertion, rows, varying);
    this.#known.set(key, made);
    return made;
  }

  #fill({ fixed, varying, values }: Prepared, columns: readonly Cells[], from: number, rows: number): void {
    const { none } = this.#insertion;
    for (let index = 0; index < fixed.length; index++) {
      const place = fixed[index] ?? 0;
      const value = columns[place]?.[from] ?? 0;
      values[index] = place === none?.column && value === none.value ? null : value;
    }
    const width = varying.length;
    for (let index = 0; index < width; index++) {
      const place = varying[index] ?? 0;
      const cells = columns[place];
      let at = fixed.length + index;
      for (let row = from; row < from + rows; row++, at += width) values[at] = cells?.[row] ?? 0;
      if (place === none?.column) nullify(values, none.value, fixed.length + index, width);
    }
  }
}

function prepared(database: Database, insertion: Insertion, rows: number, columns: number): Prepared {
  const { head, constants = '', tail = '' } = insertion;
  const places = Array.from({ length: insertion.columns }, (_, place) => place);
  const varying = places.filter((place) => columns & (1 << place));
  const fixed = places.filter((place) => !varying.includes(place));
  const cells = places.map((place) =>
    varying.includes(place) ? `column${varying.indexOf(place) + 1}` : `?${fixed.indexOf(place) + 1}`,
  );
  const row = (index: number) =>
    varying.map((_, place) => `?${fixed.length + index * varying.length + place + 1}`).join(', ');
  const all = Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ');
  // Without a condition "on conflict" would be read as one of a join.
  const statement = database.prepare(
    `${head} select ${cells.join(', ')}${constants} from (values ${all}) where true ${tail}`,
  );
  const values = new Array<number | string | null>(fixed.length + rows * varying.length).fill(0);
  return { statement, fixed, varying, values };
}

function isOneValue(cells: Cells, from: number, rows: number): boolean {
  const first = cells[from];
  for (let at = from + 1; at < from + rows; at++) if (cells[at] !== first) return false;
  return true;
}

function nullify(values: (number | string | null)[], none: number, from: number, step: number): void {
  for (let at = from; at < values.length; at += step) if (values[at] === none) values[at] = null;
}
