import {
  clickDimensions,
  dimensionCodes,
  hitColumns,
  isSparse,
  rollupClassCodes,
  rollupClasses,
  rollupClassOf,
} from '../../rules/click-fields.ts';
import { shownReason } from '../../rules/reclassified.ts';
import { hourOf } from '../../rules/utc-time.ts';
import type { Schema } from '../../storage/schema.ts';
import { classOf, countEntry, eachCount, reasonOf } from '../counts/hour-counts.ts';
import { RollUps } from '../fold/roll-ups.ts';
import { linkHourColumns, noVisitor, rollupColumns } from '../fold-store.ts';
import { HitColumns } from '../hit-columns.ts';
import type { StoredHit } from '../ledger.ts';

const { click } = rollupClassCodes;
const { total, reason, variant, variant_visitors: variantVisitors } = dimensionCodes;
/** Fewer than the roll-ups' keys have room for. */
const hoursAtOnce = 1_000;

/** An addition to a link's hour; a subtraction with negative numbers. */
interface HourDifference {
  readonly link: number;
  readonly hour: number;
  /** By the roll-ups' class. */
  readonly classes: number[];
  readonly counts: CountEntries;
}

interface OrganizationDifference {
  readonly organization: number;
  readonly dimension: number;
  readonly hour: number;
  readonly ofClass: number;
  readonly value: number;
  hits: number;
}

interface ClickDifference {
  clicks: number;
  /** The instant of the last click that was added. */
  last: number;
}

/** Entries of an hour's counts, each value with its number of hits. */
export class CountEntries {
  readonly #hits = new Map<string, { dimension: number; value: number; hits: number }>();

  add(dimension: number, value: number, hits: number): void {
    this.#hits.getOrInsert(`${dimension} ${value}`, { dimension, value, hits: 0 }).hits += hits;
  }

  /** Adds the entries of a text, `times` each. */
  addText(counts: string, times = 1): void {
    eachCount(counts, (dimension, value, hits) => this.add(dimension, value, hits * times));
  }

  addAll(others: CountEntries): void {
    for (const { dimension, value, hits } of others.all) this.add(dimension, value, hits);
  }

  /** Lowers the visitors of each variant to its clicks. */
  boundVariantVisitors(): void {
    for (const entry of this.#hits.values()) {
      if (entry.dimension !== variantVisitors) continue;
      const clicks = this.#hits.get(`${variant} ${entry.value}`)?.hits ?? 0;
      entry.hits = Math.min(entry.hits, clicks);
    }
  }

  get all() {
    return this.#hits.values();
  }

  get text(): string {
    return [...this.all]
      .filter(({ hits }) => hits > 0)
      .sort((one, other) => one.dimension - other.dimension || one.value - other.value)
      .map(({ dimension, value, hits }) => countEntry(dimension, value, hits))
      .join('');
  }
}

/**
 * How adding or removing hits changes the roll-ups and totals. Computed by the fold's own roll-ups, so that removing a hit
 * subtracts exactly what adding it has added.
 */
export class RollUpDifference {
  readonly #hours = new Map<string, HourDifference>();
  readonly #organizations = new Map<string, OrganizationDifference>();
  readonly clicks = new Map<number, ClickDifference>();

  /** Sorted by key. */
  get hours(): readonly HourDifference[] {
    return [...this.#hours.values()].sort((one, other) => one.link - other.link || one.hour - other.hour);
  }

  /** Sorted by key. */
  get organizations(): readonly OrganizationDifference[] {
    return [...this.#organizations.values()]
      .filter(({ hits }) => hits !== 0)
      .sort(
        (one, other) =>
          one.organization - other.organization ||
          one.dimension - other.dimension ||
          one.hour - other.hour ||
          one.ofClass - other.ofClass ||
          one.value - other.value,
      );
  }

  /** Adds hits, or removes them if `times` is -1. */
  count(hits: readonly StoredHit[], times: 1 | -1): void {
    const byHour = Map.groupBy(hits, ({ at }) => hourOf(at));
    const hours = [...byHour.keys()];
    for (let from = 0; from < hours.length; from += hoursAtOnce) {
      const some = hours.slice(from, from + hoursAtOnce);
      this.#countHours(
        some.flatMap((hour) => byHour.get(hour) ?? []),
        some,
        times,
      );
    }
    for (const hit of hits)
      if (rollupClassOf(hit.class, hit.outcome) === click) this.addClicks(hit.link_id, times, hit.at);
  }

  /** Subtracts a link's hour as it is stored. */
  subtractHour(organization: number, row: StoredHour): void {
    const { link_id: link, hour } = row;
    const difference = this.#hourOf(link, hour);
    const counted = new CountEntries();
    counted.addText(row.counts);
    const remaining = new Map(
      clickDimensions.filter((name) => !isSparse(name)).map((name) => [dimensionCodes[name], row.click]),
    );
    for (const [ofClass, name] of rollupClasses.entries()) {
      const hits = row[name] ?? 0;
      difference.classes[ofClass] = (difference.classes[ofClass] ?? 0) - hits;
      this.#addToOrganization({ organization, dimension: total, hour, ofClass, value: 0 }, -hits);
    }
    for (const { dimension, value, hits } of counted.all) {
      difference.counts.add(dimension, value, -hits);
      if (dimension === reason) {
        const key = { organization, dimension, hour, ofClass: classOf(value), value: reasonOf(value) };
        this.#addToOrganization(key, -hits);
        continue;
      }
      if (dimension === variantVisitors) continue;
      const left = remaining.get(dimension);
      if (left !== undefined) remaining.set(dimension, left - hits);
      this.#addToOrganization({ organization, dimension, hour, ofClass: click, value }, -hits);
    }
    for (const [dimension, hits] of remaining)
      if (hits > 0)
        this.#addToOrganization({ organization, dimension, hour, ofClass: click, value: 0 }, -hits);
    this.addClicks(link, -row.click, 0);
  }

  addClicks(link: number, clicks: number, at: number): void {
    if (clicks === 0) return;
    const known = this.clicks.getOrInsert(link, { clicks: 0, last: 0 });
    known.clicks += clicks;
    if (clicks > 0) known.last = Math.max(known.last, at);
  }

  #countHours(hits: readonly StoredHit[], hours: readonly number[], times: 1 | -1): void {
    const byLink = hits.toSorted((one, other) => one.link_id - other.link_id);
    const rollUps = new RollUps();
    rollUps.begin(columnsOf(byLink), hours);
    for (let from = 0; from < byLink.length; ) {
      const { link_id, organization_id } = byLink[from] as StoredHit;
      let to = from + 1;
      while (byLink[to]?.link_id === link_id) to++;
      rollUps.add(from, to, link_id, organization_id);
      from = to;
    }
    rollUps.end();
    this.#addHours(rollUps, times);
    this.#addOrganizations(rollUps, times);
  }

  #addHours({ ofLinks: { numbers, counts } }: RollUps, times: 1 | -1): void {
    const width = linkHourColumns.length;
    for (const [row, text] of counts.entries()) {
      const [link = 0, hour = 0, ...classes] = numbers.subarray(row * width, (row + 1) * width);
      const difference = this.#hourOf(link, hour);
      for (const [ofClass, hits] of classes.entries())
        difference.classes[ofClass] = (difference.classes[ofClass] ?? 0) + times * hits;
      difference.counts.addText(text, times);
    }
  }

  #addOrganizations({ ofOrganizations: rows }: RollUps, times: 1 | -1): void {
    for (let at = 0; at < rows.length; at += rollupColumns) {
      const [organization = 0, dimension = 0, hour = 0, ofClass = 0, value = 0, hits = 0] = rows.subarray(
        at,
        at + rollupColumns,
      );
      this.#addToOrganization({ organization, dimension, hour, ofClass, value }, times * hits);
    }
  }

  #hourOf(link: number, hour: number): HourDifference {
    return this.#hours.getOrInsertComputed(`${link} ${hour}`, () => ({
      ...{ link, hour, classes: rollupClasses.map(() => 0) },
      counts: new CountEntries(),
    }));
  }

  #addToOrganization(key: Omit<OrganizationDifference, 'hits'>, hits: number): void {
    if (hits === 0) return;
    this.#organizations.getOrInsert(Object.values(key).join(' '), { ...key, hits: 0 }).hits += hits;
  }
}

/** The counts of a link's hour. */
export type StoredHour = Readonly<
  Pick<Schema['link_hours'], (typeof linkHourColumns)[number] | 'visitors' | 'counts'>
>;

function columnsOf(hits: readonly StoredHit[]): HitColumns {
  const columns = new HitColumns();
  columns.begin(hits.length);
  for (const rare of columns.rare) rare.use();
  const { ledger } = columns;
  for (const [index, name] of hitColumns.entries()) {
    const column = ledger[index];
    if (column === undefined) continue;
    for (const [row, hit] of hits.entries())
      column[row] = name === 'reason' ? shownReason(hit.reason) : (hit[name] ?? noVisitor);
  }
  return columns;
}
