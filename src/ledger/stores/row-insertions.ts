import type { Statement } from 'bun:sqlite';
import { yieldCore } from '../../threads/yield-core.ts';
import type { Cells, Insertion } from './sql-fold-store.ts';

/** How many statements of one kind are cached; further ones bind every column of every row. */
const maxStatements = 48;
/** With fewer rows there is little to save, and there would be many kinds of statements. */
const fewRows = 32;

interface Prepared {
  readonly statement: Statement;
  readonly fixed: readonly number[];
  readonly varying: readonly number[];
  /** The bound values: first the cells shared by all rows, then those of each row. */
  readonly values: (number | string)[];
}

/**
 * Inserts rows into a table, many per statement. Consecutive rows have much in common, and more than half of the cost of a row
 * was binding its cells: what all rows of a statement share is bound once.
 */
export class RowInsertions {
  readonly #prepareStatement: (sql: string) => Statement;
  readonly #insertion: Insertion;
  readonly #differs: number;
  readonly #rowsPerStatement: readonly number[];
  readonly #everyColumn: number;
  readonly #statements = new Map<number, Prepared>();

  /**
   * `differs` is a column that differs from row to row: it is never compared. Starting a statement is most of its cost, so it has many
   * rows; the last of `rowsPerStatement` is 1.
   */
  constructor(
    prepare: (sql: string) => Statement,
    insertion: Insertion,
    differs: number,
    rowsPerStatement: readonly number[] = [256, 32, 4, 1],
  ) {
    this.#prepareStatement = prepare;
    this.#insertion = insertion;
    this.#differs = differs;
    this.#rowsPerStatement = rowsPerStatement;
    this.#everyColumn = 2 ** insertion.columns - 1;
  }

  insert(columns: readonly Cells[], count = columns[0]?.length ?? 0): void {
    let from = 0;
    for (const rows of this.#rowsPerStatement) {
      for (; from + rows <= count; from += rows) {
        const varying = rows < fewRows ? this.#everyColumn : this.#varying(columns, from, rows);
        const prepared = this.#prepare(rows, varying);
        this.#fill(prepared, columns, from, rows);
        prepared.statement.run(prepared.values);
        yieldCore();
      }
    }
  }

  /** A bit for each column that varies. */
  #varying(columns: readonly Cells[], from: number, rows: number): number {
    const differs = this.#differs;
    let varying = 1 << differs;
    for (let column = 0; column < columns.length; column++) {
      const cells = columns[column];
      if (cells !== undefined && column !== differs && !isConstantColumn(cells, from, rows))
        varying |= 1 << column;
    }
    return varying;
  }

  #prepare(rows: number, varying: number): Prepared {
    const key = rows * (this.#everyColumn + 1) + varying;
    const existing = this.#statements.get(key);
    if (existing) return existing;
    if (this.#statements.size >= maxStatements && varying !== this.#everyColumn)
      return this.#prepare(rows, this.#everyColumn);
    const created = this.#create(rows, varying);
    this.#statements.set(key, created);
    return created;
  }

  #create(rows: number, bits: number): Prepared {
    const { head, constants = '', tail = '' } = this.#insertion;
    const columns = Array.from({ length: this.#insertion.columns }, (_, column) => column);
    const varying = columns.filter((column) => bits & (1 << column));
    const fixed = columns.filter((column) => !varying.includes(column));
    const cells = columns.map((column) =>
      varying.includes(column) ? `column${varying.indexOf(column) + 1}` : `?${fixed.indexOf(column) + 1}`,
    );
    const row = (index: number) =>
      varying.map((_, column) => `?${fixed.length + index * varying.length + column + 1}`).join(', ');
    const all = Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ');
    // Without a condition, "on conflict" would be parsed as that of a join.
    const statement = this.#prepareStatement(
      `${head} select ${cells.join(', ')}${constants} from (values ${all}) where true ${tail}`,
    );
    const values = new Array<number | string>(fixed.length + rows * varying.length).fill(0);
    return { statement, fixed, varying, values };
  }

  #fill({ fixed, varying, values }: Prepared, columns: readonly Cells[], from: number, rows: number): void {
    for (let index = 0; index < fixed.length; index++) {
      const column = fixed[index] ?? 0;
      values[index] = columns[column]?.[from] ?? 0;
    }
    const width = varying.length;
    for (let index = 0; index < width; index++) {
      const column = varying[index] ?? 0;
      const cells = columns[column];
      let at = fixed.length + index;
      for (let row = from; row < from + rows; row++, at += width) values[at] = cells?.[row] ?? 0;
    }
  }
}

function isConstantColumn(cells: Cells, from: number, rows: number): boolean {
  const first = cells[from];
  for (let at = from + 1; at < from + rows; at++) if (cells[at] !== first) return false;
  return true;
}
