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
    const tally = this.#tally;
    tally.clear();
    this.#countTotals(columns, rows);
    for (const [dimension, name] of clickDimensions) {
      this.#countClicks(columns, rows, dimensionPlaces[dimension], columns[name]);
    }
    this.#emit(tally, linkId, this.#links, this.#tallyOf(organizationId));
  }

  /** To be called when all links are in. */
  end(): void {
    const inOrder = [...this.#organizationTallies].sort(([one], [other]) => one - other);
    for (const [id, tally] of inOrder) this.#emit(tally, id, this.#organizations, null);
  }

  #countTotals(columns: HitColumns, rows: Int32Array): void {
    const tally = this.#tally;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      const rollup = columns.isClick(row)
        ? clickRollup
        : (rollupPlaces[columns.class[row] ?? 0] ?? pageRollup);
      tally.add(this.#kind(total, columns.at[row] ?? 0, rollup), 0);
      if (rollup !== clickRollup) {
        tally.add(this.#kind(reason, columns.at[row] ?? 0, rollup), columns.reason[row] ?? 0);
      }
    }
  }

  #countClicks(
    columns: HitColumns,
    rows: Int32Array,
    dimension: number,
    values: Int32Array | Uint8Array,
  ): void {
    const tally = this.#tally;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      if (columns.isClick(row))
        tally.add(this.#kind(dimension, columns.at[row] ?? 0, clickRollup), values[row] ?? 0);
    }
  }

  #kind(dimension: number, at: number, rollup: number): number {
    const hour = hourOf(at);
    const hours = this.#hours;
    const rank = hours[0] === hour ? 0 : hours.indexOf(hour);
    return (dimension * hours.length + rank) * 8 + rollup;
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
