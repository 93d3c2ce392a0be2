import type { Database, Statement } from 'bun:sqlite';
import { breathe } from '../threads/breath.ts';
import { type Column, type Hits, hitColumns, noVisitor } from './fold-store.ts';

const rowsTogether = [512, 128, 32, 8, 1] as const;
/** With fewer rows there is little to save, and there would be many kinds of statements. */
const fewRows = 32;
const visitorColumn = hitColumns.indexOf('visitor');
const instantColumn = hitColumns.indexOf('at');
const everyColumn = 2 ** hitColumns.length - 1;
/** Statements that are kept: what is beyond has every column of every row. */
const mostStatements = 48;

interface Insertion {
  readonly statement: Statement;
  readonly fixed: readonly number[];
  readonly varying: readonly number[];
  /** What is bound: the fixed cells, then those of each row. */
  readonly values: (number | null)[];
}

/**
 * Rows of the ledger, many with one statement. Hits that follow one another have much in common, and more than half of
 * a row's cost was binding its twenty cells: what all rows of a statement have the same is bound once.
 */
export class HitInsertions {
  readonly #database: Database;
  readonly #known = new Map<number, Insertion>();

  constructor(database: Database) {
    this.#database = database;
  }

  insert({ columns: hits, count }: Hits): void {
    let from = 0;
    for (const rows of rowsTogether) {
      for (; from + rows <= count; from += rows) {
        const varying = rows < fewRows ? everyColumn : varyingColumns(hits, from, rows);
        const insertion = this.#insertion(rows, varying);
        fill(insertion, hits, from, rows);
        insertion.statement.run(insertion.values);
        breathe();
      }
    }
  }

  close(): void {
    for (const { statement } of this.#known.values()) statement.finalize();
  }

  /** `varying` has a bit for each column. */
  #insertion(rows: number, varying: number): Insertion {
    const key = rows * 2 ** hitColumns.length + varying;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= mostStatements && varying !== everyColumn)
      return this.#insertion(rows, everyColumn);
    const made = insertionOf(this.#database, rows, varying);
    this.#known.set(key, made);
    return made;
  }
}

function insertionOf(database: Database, rows: number, columns: number): Insertion {
  const places = hitColumns.map((_, place) => place);
  const varying = places.filter((place) => columns & (1 << place));
  const fixed = places.filter((place) => !varying.includes(place));
  const cells = places.map((place) =>
    varying.includes(place) ? `column${varying.indexOf(place) + 1}` : `?${fixed.indexOf(place) + 1}`,
  );
  const row = (index: number) =>
    varying.map((_, place) => `?${fixed.length + index * varying.length + place + 1}`).join(', ');
  const all = Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ');
  const statement = database.prepare(
    `insert into hits (${hitColumns.join(', ')}) select ${cells.join(', ')} from (values ${all})`,
  );
  const values = new Array<number | null>(fixed.length + rows * varying.length).fill(0);
  return { statement, fixed, varying, values };
}

/** Instants are never looked at: some column has to differ. */
function varyingColumns(hits: readonly Column[], from: number, rows: number): number {
  let columns = 1 << instantColumn;
  for (let place = 0; place < hits.length; place++) {
    const cells = hits[place];
    if (cells !== undefined && place !== instantColumn && !isOneValue(cells, from, rows))
      columns |= 1 << place;
  }
  return columns;
}

function isOneValue(cells: Column, from: number, rows: number): boolean {
  const first = cells[from];
  for (let at = from + 1; at < from + rows; at++) if (cells[at] !== first) return false;
  return true;
}

function fill(
  { fixed, varying, values }: Insertion,
  hits: readonly Column[],
  from: number,
  rows: number,
): void {
  for (let index = 0; index < fixed.length; index++) {
    const place = fixed[index] ?? 0;
    values[index] = cell(hits[place]?.[from] ?? 0, place);
  }
  const width = varying.length;
  for (let index = 0; index < width; index++) {
    const place = varying[index] ?? 0;
    const cells = hits[place];
    let at = fixed.length + index;
    if (place === visitorColumn) {
      for (let row = from; row < from + rows; row++, at += width) values[at] = cell(cells?.[row] ?? 0, place);
    } else {
      for (let row = from; row < from + rows; row++, at += width) values[at] = cells?.[row] ?? 0;
    }
  }
}

const cell = (value: number, place: number): number | null =>
  place === visitorColumn && value === noVisitor ? null : value;
