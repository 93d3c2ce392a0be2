import { outcomes } from '../journal/hit.ts';
import { classes } from './codes.ts';
import type { Column } from './fold-store.ts';

const human = classes.indexOf('human');
const redirect = outcomes.indexOf('redirect');
const leastRoom = 256;

/**
 * Hits as rows of the ledger, column by column: nothing but numbers, in memory that is used again for every stretch.
 * From the country on they are places of words, until the words have their numbers. Two kinds of columns, no more: a
 * loop that meets a third kind takes four times as long.
 */
export class HitColumns {
  count = 0;
  linkId: Float64Array = new Float64Array(leastRoom);
  organizationId: Float64Array = new Float64Array(leastRoom);
  at: Float64Array = new Float64Array(leastRoom);
  outcome: Int32Array = new Int32Array(leastRoom);
  target: Int32Array = new Int32Array(leastRoom);
  class: Int32Array = new Int32Array(leastRoom);
  reason: Int32Array = new Int32Array(leastRoom);
  device: Int32Array = new Int32Array(leastRoom);
  source: Int32Array = new Int32Array(leastRoom);
  country: Int32Array = new Int32Array(leastRoom);
  os: Int32Array = new Int32Array(leastRoom);
  browser: Int32Array = new Int32Array(leastRoom);
  language: Int32Array = new Int32Array(leastRoom);
  referrer: Int32Array = new Int32Array(leastRoom);
  utmSource: Int32Array = new Int32Array(leastRoom);
  utmMedium: Int32Array = new Int32Array(leastRoom);
  utmCampaign: Int32Array = new Int32Array(leastRoom);
  utmTerm: Int32Array = new Int32Array(leastRoom);
  utmContent: Int32Array = new Int32Array(leastRoom);
  visitor: Float64Array = new Float64Array(leastRoom);
  /** Whether a row may have another referrer, source or UTM parameter than none: what most rows haven't isn't written. */
  #hasOrigins = false;
  /** The link's place in the stretch; no column of the ledger. */
  place: Int32Array = new Int32Array(leastRoom);

  /** Begins again, with so many rows. Memory of a long stretch goes when a far shorter one has followed. */
  begin(rows = 0): void {
    if (this.count * 16 < this.#room && this.#room > leastRoom) this.#resize(leastRoom, 0);
    if (rows > this.#room) this.#resize(rows, 0);
    if (this.#hasOrigins) for (const column of this.#origins) column.fill(0, 0, this.count);
    this.#hasOrigins = false;
    this.count = rows;
  }

  /** Gives its memory back; what was in it is gone. */
  release(): void {
    this.begin();
    // Nothing has followed: all but the least is too much.
    this.begin();
  }

  /** One more row. */
  add(): number {
    if (this.count === this.#room) this.#resize(this.#room * 2, this.count);
    return this.count++;
  }

  /** To be called before anything but 0 comes into the columns of where a visitor came from. */
  willHaveOrigins(): void {
    this.#hasOrigins = true;
  }

  get hasOrigins(): boolean {
    return this.#hasOrigins;
  }

  isClick(row: number): boolean {
    return this.class[row] === human && this.outcome[row] === redirect;
  }

  get words(): readonly Int32Array[] {
    const { country, os, browser, language } = this;
    const [, ...wordsOfOrigins] = this.#origins;
    return [country, os, browser, language, ...wordsOfOrigins];
  }

  /** Columns of words in which not every cell is 0 for sure. */
  get wordsInUse(): readonly Int32Array[] {
    return this.#hasOrigins ? this.words : this.words.slice(0, 4);
  }

  /** Has the rows of others, in this order, as its own; save for places, and for whose they are: see `setLink`. */
  take(from: HitColumns, order: Int32Array): void {
    this.begin(order.length);
    takeDoubles(from.at, order, this.at);
    takeDoubles(from.visitor, order, this.visitor);
    const targets = this.#facts;
    for (const [index, column] of from.#facts.entries()) takeWhole(column, order, targets[index] ?? column);
    if (!from.#hasOrigins) return;
    this.#hasOrigins = true;
    const origins = this.#origins;
    for (const [index, column] of from.#origins.entries()) takeWhole(column, order, origins[index] ?? column);
  }

  /** Whose the rows from `from` up to `to` are. */
  setLink(from: number, to: number, linkId: number, organizationId: number): void {
    const { linkId: links, organizationId: organizations } = this;
    for (let row = from; row < to; row++) {
      links[row] = linkId;
      organizations[row] = organizationId;
    }
  }

  get #facts(): readonly Int32Array[] {
    return [
      this.outcome,
      this.target,
      this.class,
      this.reason,
      this.device,
      this.country,
      this.os,
      this.browser,
      this.language,
    ];
  }

  get #origins(): readonly Int32Array[] {
    return [
      this.source,
      this.referrer,
      this.utmSource,
      this.utmMedium,
      this.utmCampaign,
      this.utmTerm,
      this.utmContent,
    ];
  }

  /** In the order that the ledger's columns have in `fold-store.ts`. */
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
      this.visitor,
    ];
  }

  get #room(): number {
    return this.at.length;
  }

  #resize(room: number, kept: number): void {
    const double = (column: Float64Array) => copied(column, new Float64Array(room), kept);
    const whole = (column: Int32Array) => copied(column, new Int32Array(room), kept);
    this.linkId = double(this.linkId);
    this.organizationId = double(this.organizationId);
    this.at = double(this.at);
    this.outcome = whole(this.outcome);
    this.target = whole(this.target);
    this.class = whole(this.class);
    this.reason = whole(this.reason);
    this.device = whole(this.device);
    this.source = whole(this.source);
    this.country = whole(this.country);
    this.os = whole(this.os);
    this.browser = whole(this.browser);
    this.language = whole(this.language);
    this.referrer = whole(this.referrer);
    this.utmSource = whole(this.utmSource);
    this.utmMedium = whole(this.utmMedium);
    this.utmCampaign = whole(this.utmCampaign);
    this.utmTerm = whole(this.utmTerm);
    this.utmContent = whole(this.utmContent);
    this.visitor = double(this.visitor);
    this.place = whole(this.place);
  }
}

/** Two functions of the same words: one that meets both kinds of columns takes four times as long. */
function takeDoubles(column: Float64Array, order: Int32Array, into: Float64Array): void {
  const count = order.length;
  const value = column[0] ?? 0;
  let same = 1;
  while (same < count && column[same] === value) same++;
  // Many a column has one value throughout.
  if (same >= count) into.fill(value, 0, count);
  else for (let row = 0; row < count; row++) into[row] = column[order[row] ?? 0] ?? 0;
}

function takeWhole(column: Int32Array, order: Int32Array, into: Int32Array): void {
  const count = order.length;
  const value = column[0] ?? 0;
  let same = 1;
  while (same < count && column[same] === value) same++;
  if (same >= count) into.fill(value, 0, count);
  else for (let row = 0; row < count; row++) into[row] = column[order[row] ?? 0] ?? 0;
}

function copied<T extends Column>(from: T, into: T, count: number): T {
  into.set(from.subarray(0, count));
  return into;
}
