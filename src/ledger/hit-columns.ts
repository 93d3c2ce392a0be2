import { outcomes } from '../journal/hit.ts';
import { aliasFields, classCodes, originFields, placeFields, ruleFields } from '../rules/click-fields.ts';
import type { Column } from './fold-store.ts';

const redirect = outcomes.indexOf('redirect');
const minRoom = 256;

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
  /** One for each of `originFields`. */
  origins: readonly Int32Array[] = originFields.map(() => new Int32Array(minRoom));
  /** One for each of `ruleFields`. */
  rules: readonly Int32Array[] = ruleFields.map(() => new Int32Array(minRoom));
  /** One for each of `placeFields`. */
  places: readonly Int32Array[] = placeFields.map(() => new Int32Array(minRoom));
  /** One for each of `aliasFields`. */
  aliases: readonly Int32Array[] = aliasFields.map(() => new Int32Array(minRoom));
  /** For counting visitors; not stored in the ledger. */
  visitor: Float64Array = new Float64Array(minRoom);
  /**
   * Whether any row may have a referrer, a UTM parameter or another source than `link`: most batches have none, and don't write
   * these columns.
   */
  #hasOrigins = false;
  #hasRules = false;
  #hasPlaces = false;
  #hasAliases = false;
  /** The key of repeats, or `noKey`; not stored in the ledger. */
  repeatKey: Float64Array = new Float64Array(minRoom);
  /** The link's index in the batch; not stored in the ledger. */
  linkIndex: Int32Array = new Int32Array(minRoom);

  /** Starts a new batch with this many rows. The memory of a long batch is freed after a far shorter one that isn't empty. */
  begin(rows = 0): void {
    if (this.count > 0 && this.count * 16 < this.#room && this.#room > minRoom) this.#resize(minRoom, 0);
    if (rows > this.#room) this.#resize(rows, 0);
    if (this.#hasOrigins) for (const column of [this.source, ...this.origins]) column.fill(0, 0, this.count);
    if (this.#hasRules) for (const column of this.rules) column.fill(0, 0, this.count);
    if (this.#hasPlaces) for (const column of this.places) column.fill(0, 0, this.count);
    if (this.#hasAliases) for (const column of this.aliases) column.fill(0, 0, this.count);
    this.#hasOrigins = false;
    this.#hasRules = false;
    this.#hasPlaces = false;
    this.#hasAliases = false;
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

  /** The columns of origins. Must be called before anything but 0 is written to them or to `source`. */
  willHaveOrigins(): readonly Int32Array[] {
    this.#hasOrigins = true;
    return this.origins;
  }

  /** The columns of rules. Must be called before anything but 0 is written to them. */
  willHaveRules(): readonly Int32Array[] {
    this.#hasRules = true;
    return this.rules;
  }

  /** The same for places. */
  willHavePlaces(): readonly Int32Array[] {
    this.#hasPlaces = true;
    return this.places;
  }

  /** The same for aliases. */
  willHaveAliases(): readonly Int32Array[] {
    this.#hasAliases = true;
    return this.aliases;
  }

  /** 0 if there is none. */
  variantOf(row: number): number {
    return this.#hasRules ? (this.rules[1]?.[row] ?? 0) : 0;
  }

  get hasOrigins(): boolean {
    return this.#hasOrigins;
  }

  isClick(row: number): boolean {
    return this.class[row] === classCodes.human && this.outcome[row] === redirect;
  }

  /** In the order of `wordFields`. */
  get words(): readonly Int32Array[] {
    return [...this.#visitors, ...this.origins, ...this.rules, ...this.places, ...this.aliases];
  }

  /** Columns of words that may contain anything but 0. */
  get wordsInUse(): readonly Int32Array[] {
    return [
      ...this.#visitors,
      ...(this.#hasOrigins ? this.origins : []),
      ...(this.#hasRules ? this.rules : []),
      ...(this.#hasPlaces ? this.places : []),
      ...(this.#hasAliases ? this.aliases : []),
    ];
  }

  /** Copies another's rows in this order, except for their links and organizations: see `setLink`. */
  take(from: HitColumns, order: Int32Array): void {
    this.begin(order.length);
    takeDoubles(from.at, order, this.at);
    takeDoubles(from.visitor, order, this.visitor);
    this.#hasOrigins = from.#hasOrigins;
    this.#hasRules = from.#hasRules;
    this.#hasPlaces = from.#hasPlaces;
    this.#hasAliases = from.#hasAliases;
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

  get #visitors(): readonly Int32Array[] {
    return [this.country, this.os, this.browser, this.language];
  }

  get #inUse(): readonly Int32Array[] {
    const facts = [this.outcome, this.target, this.class, this.reason, this.device, ...this.wordsInUse];
    return this.#hasOrigins ? [...facts, this.source] : facts;
  }

  /** In the order of `hitColumns`. */
  get ledger(): readonly Column[] {
    return [
      this.linkId,
      this.organizationId,
      this.at,
      this.outcome,
      this.target,
      this.class,
      this.reason,
      this.device,
      this.source,
      ...this.words,
    ];
  }

  get #room(): number {
    return this.at.length;
  }

  #resize(room: number, kept: number): void {
    const resize = <T extends Column>(column: T): T => resized(column, room, kept);
    /** Memory that nothing was written to isn't touched. */
    const resizeIf = (isInUse: boolean) => (column: Int32Array) => resized(column, room, isInUse ? kept : 0);
    this.linkId = resize(this.linkId);
    this.organizationId = resize(this.organizationId);
    this.at = resize(this.at);
    this.outcome = resize(this.outcome);
    this.target = resize(this.target);
    this.class = resize(this.class);
    this.reason = resize(this.reason);
    this.device = resize(this.device);
    this.source = resizeIf(this.#hasOrigins)(this.source);
    this.country = resize(this.country);
    this.os = resize(this.os);
    this.browser = resize(this.browser);
    this.language = resize(this.language);
    this.origins = this.origins.map(resizeIf(this.#hasOrigins));
    this.rules = this.rules.map(resizeIf(this.#hasRules));
    this.places = this.places.map(resizeIf(this.#hasPlaces));
    this.aliases = this.aliases.map(resizeIf(this.#hasAliases));
    this.visitor = resize(this.visitor);
    this.repeatKey = resize(this.repeatKey);
    this.linkIndex = resize(this.linkIndex);
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
