import {
  aliasFields,
  classCodes,
  codeFields,
  originFields,
  outcomes,
  placeFields,
  ruleFields,
  visitorFields,
} from '../rules/click-fields.ts';
import type { Column } from './fold-store.ts';

const redirect = outcomes.indexOf('redirect');
const minRoom = 256;
const doubles = ['linkId', 'organizationId', 'at', 'visitor', 'repeatKey'] as const;

/**
 * Hits as rows of the ledger, column by column: numbers only, in memory that is reused for every batch. From the country on they
 * are indexes of words, until the words have their ids. There are two types of columns, and no more: a loop that gets a third
 * type takes four times as long.
 */
export class HitColumns {
  count = 0;
  linkId: Float64Array = new Float64Array(minRoom);
  organizationId: Float64Array = new Float64Array(minRoom);
  at: Float64Array = new Float64Array(minRoom);
  outcome: Int32Array = new Int32Array(minRoom);
  target: Int32Array = new Int32Array(minRoom);
  class: Int32Array = new Int32Array(minRoom);
  reason: Int32Array = new Int32Array(minRoom);
  device: Int32Array = new Int32Array(minRoom);
  source: Int32Array = new Int32Array(minRoom);
  country: Int32Array = new Int32Array(minRoom);
  os: Int32Array = new Int32Array(minRoom);
  browser: Int32Array = new Int32Array(minRoom);
  language: Int32Array = new Int32Array(minRoom);
  /** For counting visitors; not stored in the ledger. */
  visitor: Float64Array = new Float64Array(minRoom);
  /** The key of repeats, or `noKey`; not stored in the ledger. */
  repeatKey: Float64Array = new Float64Array(minRoom);
  /** The link's index in the batch; not stored in the ledger. */
  linkIndex: Int32Array = new Int32Array(minRoom);
  #zeros = new Int32Array(minRoom);
  /** Referrers, UTM parameters; with any of them a row may also have another source than `link`, but not before `use`. */
  readonly origins = new RareColumns(originFields.length, this.#zeros);
  readonly rules = new RareColumns(ruleFields.length, this.#zeros);
  readonly places = new RareColumns(placeFields.length, this.#zeros);
  readonly aliases = new RareColumns(aliasFields.length, this.#zeros);
  readonly rare = [this.origins, this.rules, this.places, this.aliases];

  /** Starts a new batch with this many rows. The memory of a long batch is freed after a far shorter one that isn't empty. */
  begin(rows = 0): void {
    if (this.count > 0 && this.count * 16 < this.#room && this.#room > minRoom) this.#resize(minRoom, 0);
    if (rows > this.#room) this.#resize(rows, 0);
    if (this.origins.isUsed) this.source.fill(0, 0, this.count);
    for (const columns of this.rare) columns.begin(this.#zeros, this.count);
    this.count = rows;
  }

  /** Frees its memory and loses its contents. */
  release(): void {
    this.begin();
    this.#resize(minRoom, 0);
  }

  /** Adds a row. */
  add(): number {
    if (this.count === this.#room) this.#resize(this.#room * 2, this.count);
    return this.count++;
  }

  /** 0 if there is none. */
  variantOf(row: number): number {
    return this.rules.all[1]?.[row] ?? 0;
  }

  isClick(row: number): boolean {
    return this.class[row] === classCodes.human && this.outcome[row] === redirect;
  }

  /** In the order of `wordFields`. */
  get words(): readonly Int32Array[] {
    return [...this.#visitors, ...this.rare.flatMap(({ all }) => all)];
  }

  /** Columns of words that may contain anything but 0. */
  get wordsInUse(): readonly Int32Array[] {
    return [...this.#visitors, ...this.rare.flatMap(({ isUsed, all }) => (isUsed ? all : []))];
  }

  /** Copies another's rows in this order, except for their links and organizations: see `setLink`. */
  take(from: HitColumns, order: Int32Array): void {
    this.begin(order.length);
    takeDoubles(from.at, order, this.at);
    takeDoubles(from.visitor, order, this.visitor);
    for (const [index, { isUsed }] of from.rare.entries()) if (isUsed) this.rare[index]?.use();
    const targets = this.#inUse;
    for (const [index, column] of from.#inUse.entries())
      takeIntegers(column, order, targets[index] ?? column);
  }

  /** Sets the link of the rows from `from` up to `to`. */
  setLink(from: number, to: number, linkId: number, organizationId: number): void {
    const { linkId: links, organizationId: organizations } = this;
    for (let row = from; row < to; row++) {
      links[row] = linkId;
      organizations[row] = organizationId;
    }
  }

  /** In the order of `hitColumns`. */
  get ledger(): readonly Column[] {
    const codes = codeFields.map((name) => this[name]);
    return [this.linkId, this.organizationId, this.at, ...codes, ...this.words];
  }

  get #visitors(): readonly Int32Array[] {
    return visitorFields.map((name) => this[name]);
  }

  get #inUse(): readonly Int32Array[] {
    // Without origins every source is 0.
    const used = codeFields.filter((name) => name !== 'source' || this.origins.isUsed);
    return [...used.map((name) => this[name]), ...this.wordsInUse];
  }

  get #room(): number {
    return this.at.length;
  }

  #resize(room: number, kept: number): void {
    for (const name of doubles) this[name] = resized(this[name], room, kept);
    for (const name of [...codeFields, ...visitorFields, 'linkIndex'] as const)
      this[name] = resized(this[name], room, kept);
    this.#zeros = new Int32Array(room);
    for (const columns of this.rare) columns.resize(this.#zeros, kept);
  }
}

/** Columns that are zero throughout in most batches: until they are used, all of them are one array of zeros. */
class RareColumns {
  isUsed = false;
  all: readonly Int32Array[];
  #own: readonly Int32Array[] = [];

  constructor(count: number, zeros: Int32Array) {
    this.all = Array.from({ length: count }, () => zeros);
  }

  /** Clears the first `count` rows of the last batch. */
  begin(zeros: Int32Array, count: number): void {
    if (!this.isUsed) return;
    this.isUsed = false;
    for (const column of this.#own) column.fill(0, 0, count);
    this.all = this.#own.map(() => zeros);
  }

  /** Must be called before anything but 0 is written to them. */
  use(): readonly Int32Array[] {
    if (this.isUsed) return this.all;
    this.isUsed = true;
    if (this.#own.length === 0) this.#own = this.all.map(({ length }) => new Int32Array(length));
    this.all = this.#own;
    return this.all;
  }

  resize(zeros: Int32Array, kept: number): void {
    this.#own = this.isUsed ? this.#own.map((column) => resized(column, zeros.length, kept)) : [];
    this.all = this.isUsed ? this.#own : this.all.map(() => zeros);
  }
}

/** Two identical functions, because one that gets both types of columns takes four times as long. */
function takeDoubles(column: Float64Array, order: Int32Array, into: Float64Array): void {
  const count = order.length;
  const value = column[0] ?? 0;
  let same = 1;
  while (same < count && column[same] === value) same++;
  // Many columns have one value throughout.
  if (same >= count) into.fill(value, 0, count);
  else for (let row = 0; row < count; row++) into[row] = column[order[row] ?? 0] ?? 0;
}

function takeIntegers(column: Int32Array, order: Int32Array, into: Int32Array): void {
  const count = order.length;
  const value = column[0] ?? 0;
  let same = 1;
  while (same < count && column[same] === value) same++;
  if (same >= count) into.fill(value, 0, count);
  else for (let row = 0; row < count; row++) into[row] = column[order[row] ?? 0] ?? 0;
}

/** A column with room for this many rows, which keeps its first `kept` rows. */
export function resized<T extends Column>(column: T, room: number, kept: number): T {
  const copy = (column instanceof Float64Array ? new Float64Array(room) : new Int32Array(room)) as T;
  copy.set(column.subarray(0, kept));
  return copy;
}
