import {
  type ClickDimension,
  clickDimensions,
  columnOf,
  dimensionCodes,
  hitColumns,
  isSparse,
  originFields,
  rollupClassCodes,
  rollupClassOf,
} from '../../rules/click-fields.ts';
import { hourOf } from '../../rules/utc-time.ts';
import { FloatList } from '../../structures/float-list.ts';
import { countEntry, reasonValue } from '../counts/hour-counts.ts';
import type { LinkHours } from '../fold-store.ts';
import { HitColumns } from '../hit-columns.ts';
import { isConstantColumn } from '../is-constant-column.ts';
import { EqualClicks, type EqualGroup } from './equal-clicks.ts';
import { countedOf, kindOf, RollUpTally } from './roll-up-tally.ts';

const { total, reason } = dimensionCodes;
const { click: clickRollup } = rollupClassCodes;
const ofOrigins: ReadonlySet<ClickDimension> = new Set(
  clickDimensions.filter((name) => ['source', ...originFields].includes(name)),
);

/** A kind packs three numbers into one: the hour in the high bits, then the dimension, then the class. */
const maxDimensions = 32;
const maxClasses = 8;
const hourOfKind = (kind: number): number => kind >> 8;
const dimensionOfKind = (kind: number): number => (kind >> 3) % maxDimensions;
/** The value 0 of these dimensions is stored for every organization. */
const wholeDimensions = clickDimensions.filter((name) => !isSparse(name));

/** Whether no hit has a value other than 0 in a dimension. */
function isEmpty({ ledger, count }: HitColumns, name: ClickDimension): boolean {
  const column = ledger[hitColumns.indexOf(columnOf(name))];
  return (column?.[0] ?? 0) === 0 && isConstantColumn(column, count);
}

/**
 * Computes what a batch adds to the roll-ups, sorted by key: the hours of links, and rows of organization, dimension, hour, class,
 * value, hits. Typed arrays are read by index here: their iterators cost ten times as much.
 */
export class RollUps {
  readonly #tally = new RollUpTally();
  readonly #linkNumbers = new FloatList();
  #linkCounts: string[] = [];
  readonly #organizations = new FloatList();
  #organizationTallies = new Map<number, RollUpTally>();
  #hours = new Float64Array();
  readonly #classes = new Float64Array(maxClasses);
  #clicks = new Int32Array(64);
  #clickHours = new Int32Array(64);
  #columns = new HitColumns();
  /** Dimensions in which a click may have another value than 0, and their columns. */
  #dimensions: readonly number[] = [];
  #values: readonly Int32Array[] = [];
  readonly #equalClicks = new EqualClicks(
    (group, cells, from) => this.#addEqual(group, cells, from),
    (cells, from) => this.#textOf(cells, from),
  );

  get ofLinks(): LinkHours {
    return { numbers: this.#linkNumbers.all, counts: this.#linkCounts };
  }

  get ofOrganizations(): Float64Array {
    return this.#organizations.all;
  }

  /** `hours` are all hours of the hits in `columns`. */
  begin(columns: HitColumns, hours: readonly number[]): void {
    const { ledger } = columns;
    const inUse = clickDimensions.filter(
      (name) =>
        (columns.origins.isUsed || !ofOrigins.has(name)) && !(isSparse(name) && isEmpty(columns, name)),
    );
    this.#columns = columns;
    this.#dimensions = inUse.map((name) => dimensionCodes[name]);
    this.#values = inUse.map((name) => ledger[hitColumns.indexOf(columnOf(name))] as Int32Array);
    this.#equalClicks.begin(this.#dimensions);
    this.#hours = Float64Array.from(hours).sort();
    this.#linkNumbers.clear();
    this.#linkCounts = [];
    this.#organizations.clear();
    this.#organizationTallies = new Map();
  }

  /**
   * Adds the rows from `from` up to `to`, all of one link. Links must be added in the order of their ids: the counts of one link
   * are few, and stay in the processor's cache.
   */
  add(from: number, to: number, linkId: number, organizationId: number): void {
    if (to - from === 1 && this.#columns.isClick(from)) this.#addOnly(from, linkId, organizationId);
    else {
      this.#tally.clear();
      const clicks = this.#countTotals(from, to);
      for (let index = 0; index < this.#values.length; index++) this.#countClicks(clicks, index);
      this.#addLink(linkId, this.#tallyOf(organizationId));
    }
  }

  /** Must be called after the last link. */
  end(): void {
    this.#equalClicks.end();
    const inOrder = [...this.#organizationTallies].sort(([one], [other]) => one - other);
    for (const [id, tally] of inOrder) this.#addOrganization(id, tally);
  }

  /** A link's only hit: its cells are the values to count, in order. */
  #addOnly(row: number, linkId: number, organizationId: number): void {
    const hour = this.#hourRank(this.#columns.at[row] ?? 0);
    this.#linkCounts.push(this.#equalClicks.add(this.#values, row, organizationId, hour));
    this.#linkNumbers.push4(linkId, this.#hours[hour] ?? 0, 1, 0);
    this.#linkNumbers.push6(0, 0, 0, 0, 0, 0);
  }

  #textOf(cells: Int32Array, from: number): string {
    let counts = '';
    for (const [index, dimension] of this.#dimensions.entries()) {
      const value = cells[from + index] ?? 0;
      if (value !== 0) counts += countEntry(dimension, value, 1);
    }
    return counts;
  }

  #addEqual({ organizationId, hour, hits }: EqualGroup, cells: Int32Array, from: number): void {
    const organization = this.#tallyOf(organizationId);
    organization.add(this.#byDimension(this.#kind(total, hour, clickRollup)), 0, hits);
    for (const [index, dimension] of this.#dimensions.entries()) {
      const value = cells[from + index] ?? 0;
      if (value !== 0)
        organization.add(this.#byDimension(this.#kind(dimension, hour, clickRollup)), value, hits);
    }
  }

  /** Stores the clicks in `#clicks` and `#clickHours`, and returns their number. */
  #countTotals(from: number, to: number): number {
    if (to - from > this.#clicks.length) this.#makeRoom((to - from) * 2);
    const columns = this.#columns;
    let clicks = 0;
    // Consecutive hits often have the same values.
    let [previousHour, previousRollup, previousReason, same] = [0, 0, 0, 0];
    for (let row = from; row < to; row++) {
      const hour = this.#hourRank(columns.at[row] ?? 0);
      const rollup = rollupClassOf(columns.class[row] ?? 0, columns.outcome[row] ?? 0);
      let hitReason = 0;
      if (rollup === clickRollup) {
        this.#clicks[clicks] = row;
        this.#clickHours[clicks++] = hour;
      } else hitReason = columns.reason[row] ?? 0;
      if (hour === previousHour && rollup === previousRollup && hitReason === previousReason) {
        same += 1;
        continue;
      }
      this.#addTotals(previousHour, previousRollup, previousReason, same);
      previousHour = hour;
      previousRollup = rollup;
      previousReason = hitReason;
      same = 1;
    }
    this.#addTotals(previousHour, previousRollup, previousReason, same);
    return clicks;
  }

  #addTotals(hour: number, rollup: number, hitReason: number, hits: number): void {
    if (hits === 0) return;
    this.#tally.add(this.#kind(total, hour, rollup), 0, hits);
    if (rollup !== clickRollup) this.#tally.add(this.#kind(reason, hour, rollup), hitReason, hits);
  }

  /**
   * Counts only values other than 0: half of all values are 0, and all remaining clicks have that value. `index` is that of the
   * dimension.
   */
  #countClicks(clicks: number, index: number): void {
    const values = this.#values[index];
    const dimension = this.#dimensions[index] ?? 0;
    if (values === undefined || clicks === 0) return;
    const [rows, hours, tally] = [this.#clicks, this.#clickHours, this.#tally];
    // Consecutive clicks often have the same value.
    let previous = values[rows[0] ?? 0] ?? 0;
    let previousHour = hours[0] ?? 0;
    let same = 0;
    for (let click = 0; click < clicks; click++) {
      const value = values[rows[click] ?? 0] ?? 0;
      const hour = hours[click] ?? 0;
      if (value === previous && hour === previousHour) {
        same += 1;
        continue;
      }
      if (previous !== 0) tally.add(this.#kind(dimension, previousHour, clickRollup), previous, same);
      previous = value;
      previousHour = hour;
      same = 1;
    }
    if (previous !== 0) tally.add(this.#kind(dimension, previousHour, clickRollup), previous, same);
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
    return (hour * maxDimensions + dimension) * maxClasses + rollup;
  }

  /** An organization's rows are sorted by dimension, then hour. */
  #byDimension(kind: number): number {
    const rollup = kind % maxClasses;
    const dimension = dimensionOfKind(kind);
    return (dimension * this.#hours.length + hourOfKind(kind)) * maxClasses + rollup;
  }

  #addLink(linkId: number, organization: RollUpTally): void {
    const tally = this.#tally;
    const keys = tally.keys();
    const sums = this.#classes;
    let counts = '';
    let currentHour = -1;
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? 0;
      const kind = kindOf(key);
      const value = countedOf(key);
      const count = tally.count(key);
      organization.add(this.#byDimension(kind), value, count);
      const hour = hourOfKind(kind);
      if (hour !== currentHour) {
        if (currentHour >= 0) this.#addLinkHour(linkId, currentHour, counts);
        currentHour = hour;
        counts = '';
        sums.fill(0);
      }
      const dimension = dimensionOfKind(kind);
      const rollup = kind % maxClasses;
      if (dimension === total) sums[rollup] = count;
      else if (dimension === reason) counts += countEntry(dimension, reasonValue(value, rollup), count);
      else counts += countEntry(dimension, value, count);
    }
    if (currentHour >= 0) this.#addLinkHour(linkId, currentHour, counts);
  }

  #addLinkHour(linkId: number, hour: number, counts: string): void {
    const sums = this.#classes;
    this.#linkNumbers.push4(linkId, this.#hours[hour] ?? 0, sums[0] ?? 0, sums[1] ?? 0);
    this.#linkNumbers.push6(
      sums[2] ?? 0,
      sums[3] ?? 0,
      sums[4] ?? 0,
      sums[5] ?? 0,
      sums[6] ?? 0,
      sums[7] ?? 0,
    );
    this.#linkCounts.push(counts);
  }

  #addOrganization(id: number, tally: RollUpTally): void {
    const hours = this.#hours;
    this.#countRemaining(tally);
    const keys = tally.keys();
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? 0;
      const kind = kindOf(key);
      const slot = kind >> 3;
      const dimension = Math.floor(slot / hours.length);
      const hour = hours[slot - dimension * hours.length] ?? 0;
      this.#organizations.push6(id, dimension, hour, kind & 7, countedOf(key), tally.count(key));
    }
  }

  /** Counts the value 0 of every dimension: the hour's clicks without those of its other values. */
  #countRemaining(tally: RollUpTally): void {
    const hours = this.#hours.length;
    const counted = new Float64Array(maxDimensions * hours);
    const keys = tally.keys();
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? 0;
      const kind = kindOf(key);
      const slot = kind >> 3;
      if (kind % maxClasses === clickRollup) counted[slot] = (counted[slot] ?? 0) + tally.count(key);
    }
    for (const name of wholeDimensions) {
      const dimension = dimensionCodes[name];
      for (let hour = 0; hour < hours; hour++) {
        const remaining = (counted[total * hours + hour] ?? 0) - (counted[dimension * hours + hour] ?? 0);
        if (remaining > 0) tally.add((dimension * hours + hour) * maxClasses + clickRollup, 0, remaining);
      }
    }
  }

  #tallyOf(organizationId: number): RollUpTally {
    return this.#organizationTallies.getOrInsertComputed(organizationId, newTally);
  }
}

const newTally = () => new RollUpTally();
