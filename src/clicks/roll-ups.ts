import { classes, dimensions, hourOf, rollupClasses } from './codes.ts';
import type { HitColumns } from './hit-columns.ts';
import { Numbers } from './numbers.ts';
import { countedOf, kindOf, RollUpTally } from './roll-up-tally.ts';

const human = classes.indexOf('human');
export const clickRollup = rollupClasses.indexOf('click');
const pageRollup = rollupClasses.indexOf('page');
/** The ledger's classes as the roll-ups know them, for what is no click. */
const rollupPlaces = Uint8Array.from(classes, (name, place) =>
  place === human ? pageRollup : rollupClasses.indexOf(name as (typeof rollupClasses)[number]),
);

type Dimension = (typeof dimensions)[number];
export const dimensionPlaces = Object.fromEntries(dimensions.map((name, place) => [name, place])) as Record<
  Dimension,
  number
>;
const { total, reason } = dimensionPlaces;

/** What clicks are counted by, and the column that says it. */
const clickDimensions = [
  ['country', 'country'],
  ['device', 'device'],
  ['os', 'os'],
  ['browser', 'browser'],
  ['language', 'language'],
  ['referrer', 'referrer'],
  ['utm_source', 'utmSource'],
  ['utm_medium', 'utmMedium'],
  ['utm_campaign', 'utmCampaign'],
  ['destination', 'target'],
  ['source', 'source'],
] as const satisfies readonly (readonly [Dimension, keyof HitColumns])[];

/**
 * What a stretch adds to the roll-ups: rows of owner, dimension, hour, class, value, hits; in the order of the key.
 * Typed arrays are walked through by index here: their iterators cost ten times as much.
 */
export class RollUps {
  readonly #tally = new RollUpTally();
  readonly #links = new Numbers();
  readonly #organizations = new Numbers();
  #organizationTallies = new Map<number, RollUpTally>();
  #hours = new Float64Array();
  #clicks = new Int32Array(64);
  #clickHours = new Int32Array(64);

  get ofLinks(): Float64Array {
    return this.#links.all;
  }

  get ofOrganizations(): Float64Array {
    return this.#organizations.all;
  }

  /** `hours` are all that hits to come are of. */
  begin(hours: readonly number[]): void {
    this.#hours = Float64Array.from(hours).sort();
    this.#links.clear();
    this.#organizations.clear();
    this.#organizationTallies = new Map();
  }

  /** All rows of one link; links come in the order of their ids. What is counted of one is little, and stays near. */
  add(columns: HitColumns, rows: Int32Array, linkId: number, organizationId: number): void {
    this.#tally.clear();
    const clicks = this.#countTotals(columns, rows);
    for (const [dimension, name] of clickDimensions) {
      this.#countClicks(clicks, dimensionPlaces[dimension], columns[name]);
    }
    this.#emit(this.#tally, linkId, this.#links, this.#tallyOf(organizationId));
  }

  /** To be called when all links are in. */
  end(): void {
    const inOrder = [...this.#organizationTallies].sort(([one], [other]) => one - other);
    for (const [id, tally] of inOrder) this.#emit(tally, id, this.#organizations, null);
  }

  /** Returns how many clicks there are; `#clicks` and `#clickHours` then tell which. */
  #countTotals(columns: HitColumns, rows: Int32Array): number {
    if (rows.length > this.#clicks.length) this.#makeRoom(rows.length * 2);
    const tally = this.#tally;
    let clicks = 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      const hour = this.#hourRank(columns.at[row] ?? 0);
      if (columns.isClick(row)) {
        this.#clicks[clicks] = row;
        this.#clickHours[clicks++] = hour;
        tally.add(this.#kind(total, hour, clickRollup), 0);
      } else {
        const rollup = rollupPlaces[columns.class[row] ?? 0] ?? pageRollup;
        tally.add(this.#kind(total, hour, rollup), 0);
        tally.add(this.#kind(reason, hour, rollup), columns.reason[row] ?? 0);
      }
    }
    return clicks;
  }

  #countClicks(clicks: number, dimension: number, values: Int32Array | Uint8Array): void {
    const tally = this.#tally;
    for (let index = 0; index < clicks; index++) {
      const kind = this.#kind(dimension, this.#clickHours[index] ?? 0, clickRollup);
      tally.add(kind, values[this.#clicks[index] ?? 0] ?? 0);
    }
  }

  #makeRoom(rows: number): void {
    this.#clicks = new Int32Array(rows);
    this.#clickHours = new Int32Array(rows);
  }

  #hourRank(at: number): number {
    const hour = hourOf(at);
    return this.#hours[0] === hour ? 0 : this.#hours.indexOf(hour);
  }

  #kind(dimension: number, hour: number, rollup: number): number {
    return (dimension * this.#hours.length + hour) * 8 + rollup;
  }

  #emit(tally: RollUpTally, owner: number, into: Numbers, above: RollUpTally | null): void {
    const hours = this.#hours;
    const keys = tally.keys();
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? 0;
      const kind = kindOf(key);
      const value = countedOf(key);
      const count = tally.count(key);
      const place = kind >> 3;
      const dimension = Math.floor(place / hours.length);
      into.push6(owner, dimension, hours[place - dimension * hours.length] ?? 0, kind & 7, value, count);
      above?.add(kind, value, count);
    }
  }

  #tallyOf(organizationId: number): RollUpTally {
    let tally = this.#organizationTallies.get(organizationId);
    if (tally === undefined) {
      tally = new RollUpTally();
      this.#organizationTallies.set(organizationId, tally);
    }
    return tally;
  }
}
