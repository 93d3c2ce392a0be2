import type { Column } from '../storage/fold-store.ts';
import { classes, outcomes } from './codes.ts';

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
    return [
      this.country,
      this.os,
      this.browser,
      this.language,
      this.referrer,
      this.utmSource,
      this.utmMedium,
      this.utmCampaign,
      this.utmTerm,
      this.utmContent,
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

function copied<T extends Column>(from: T, into: T, count: number): T {
  into.set(from.subarray(0, count));
  return into;
}
