const entries = 1 << 11;
/** At least as many as there are columns. */
const entryCells = 32;

export interface EqualGroup {
  readonly organizationId: number;
  readonly hour: number;
  readonly hits: number;
}

/**
 * Clicks that are the only hit of their link in a batch, as most are when very many links are visited. Many of them have the same
 * values in everything that is counted: their counts text is built once, and they are counted together. A direct-mapped cache: an
 * entry is replaced when other values hash to its slot.
 */
export class EqualClicks {
  /** Called with clicks that were counted together, and the index of their values in `cells`. */
  readonly #spill: (group: EqualGroup, cells: Int32Array, from: number) => void;
  readonly #textOf: (cells: Int32Array, from: number) => string;
  #dimensions: readonly number[] = [];
  readonly #cells = new Int32Array(entries * entryCells);
  readonly #hours = new Int32Array(entries);
  readonly #hits = new Int32Array(entries);
  readonly #organizations = new Float64Array(entries);
  readonly #texts: (string | null)[] = new Array(entries).fill(null);

  constructor(
    spill: (group: EqualGroup, cells: Int32Array, from: number) => void,
    textOf: (cells: Int32Array, from: number) => string,
  ) {
    this.#spill = spill;
    this.#textOf = textOf;
  }

  /** `dimensions` are those of the columns of the following clicks, at most 32: texts of others are not reused. */
  begin(dimensions: readonly number[]): void {
    if (dimensions.join() === this.#dimensions.join()) return;
    this.#texts.fill(null);
    this.#dimensions = dimensions;
  }

  /** The counts text of a click, built from its cells in these columns. */
  add(columns: readonly Int32Array[], row: number, organizationId: number, hour: number): string {
    const entry = entryOf(columns, row);
    const cached = this.#texts[entry];
    const text =
      cached != null && this.#hasCells(entry, columns, row) ? cached : this.#put(entry, columns, row);
    if (this.#organizations[entry] !== organizationId || this.#hours[entry] !== hour) {
      this.#spillOut(entry);
      this.#organizations[entry] = organizationId;
      this.#hours[entry] = hour;
    }
    this.#hits[entry] = (this.#hits[entry] ?? 0) + 1;
    return text;
  }

  /** Must be called after the last click. */
  end(): void {
    for (let entry = 0; entry < entries; entry++) this.#spillOut(entry);
  }

  #hasCells(entry: number, columns: readonly Int32Array[], row: number): boolean {
    const cells = this.#cells;
    const from = entry * entryCells;
    for (let index = 0; index < columns.length; index++)
      if (cells[from + index] !== columns[index]?.[row]) return false;
    return true;
  }

  #put(entry: number, columns: readonly Int32Array[], row: number): string {
    this.#spillOut(entry);
    const cells = this.#cells;
    const from = entry * entryCells;
    for (let index = 0; index < columns.length; index++) cells[from + index] = columns[index]?.[row] ?? 0;
    const text = this.#textOf(cells, from);
    this.#texts[entry] = text;
    return text;
  }

  #spillOut(entry: number): void {
    const hits = this.#hits[entry] ?? 0;
    if (hits === 0) return;
    const organizationId = this.#organizations[entry] ?? 0;
    this.#spill({ organizationId, hour: this.#hours[entry] ?? 0, hits }, this.#cells, entry * entryCells);
    this.#hits[entry] = 0;
  }
}

function entryOf(columns: readonly Int32Array[], row: number): number {
  let hash = 0;
  for (let index = 0; index < columns.length; index++)
    hash = Math.imul(hash ^ (columns[index]?.[row] ?? 0), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & (entries - 1);
}
