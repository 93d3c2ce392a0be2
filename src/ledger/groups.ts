import { rollupClassCodes } from '../rules/click-fields.ts';
import { FloatList } from '../structures/float-list.ts';
import { IntTable } from '../structures/int-table.ts';

export interface GroupCount {
  readonly value: number;
  readonly clicks: number;
  readonly hits: number;
  /** Of all groups, including those beyond the limit. */
  readonly all_clicks: number;
  readonly all_hits: number;
}

type Group = Pick<GroupCount, 'value' | 'clicks' | 'hits'>;

/** Adds up counts by value in typed arrays, and keeps the largest groups: most hits first, then the lowest value. */
export class Groups {
  readonly #limit: number;
  readonly #indexes = new IntTable();
  readonly #values = new FloatList();
  /** Clicks and hits of each value. */
  readonly #sums = new FloatList();
  #largest: readonly Group[] = [];
  readonly #all = { all_clicks: 0, all_hits: 0 };

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of values in memory. */
  get size(): number {
    return this.#values.length;
  }

  add(value: number, ofClass: number, hits: number): void {
    let index = this.#indexes.get(value);
    if (index < 0) {
      index = this.size;
      this.#indexes.set(value, index);
      this.#values.push(value);
      this.#sums.push2(0, 0);
    }
    if (ofClass === rollupClassCodes.click) this.#sums.add(index * 2, hits);
    this.#sums.add(index * 2 + 1, hits);
  }

  /** Drops the upper half of the values in memory, and returns the lowest of them, to be counted later. */
  forgetUpperHalf(): number {
    const end = this.#values.all.toSorted()[this.size >> 1] ?? 0;
    this.forgetFrom(end);
    return end;
  }

  /** Drops the values from this one on, to be counted later. */
  forgetFrom(end: number): void {
    if (!this.#values.all.some((value) => value >= end)) return;
    const groups = this.inMemory;
    this.#clear();
    this.addAll(groups, end);
  }

  /** Keeps the largest of the groups in memory, and drops the others: no more hits of them may follow. */
  finish(): void {
    const groups = this.#inMemory();
    for (const { clicks, hits } of groups) {
      this.#all.all_clicks += clicks;
      this.#all.all_hits += hits;
    }
    this.#largest = [...this.#largest, ...groups]
      .sort((one, other) => other.hits - one.hits || one.value - other.value)
      .slice(0, this.#limit);
    this.#clear();
  }

  /** Triples of value, clicks and hits of all values in memory. */
  get inMemory(): Float64Array {
    const groups = new Float64Array(this.size * 3);
    for (const [index, { value, clicks, hits }] of this.#inMemory().entries())
      groups.set([value, clicks, hits], index * 3);
    return groups;
  }

  /** Adds the `inMemory` of another one, for values below `end`. */
  addAll(groups: Float64Array, end: number): void {
    for (let at = 0; at < groups.length; at += 3) {
      const value = groups[at] ?? 0;
      const clicks = groups[at + 1] ?? 0;
      const hits = groups[at + 2] ?? 0;
      if (value >= end) continue;
      if (clicks > 0) this.add(value, rollupClassCodes.click, clicks);
      if (hits > clicks) this.add(value, rollupClassCodes.page, hits - clicks);
    }
  }

  /** The largest of all finished groups. */
  get largest(): readonly GroupCount[] {
    return this.#largest.map((group) => ({ ...group, ...this.#all }));
  }

  #inMemory(): Group[] {
    return Array.from(this.#values.all, (value, index) => ({
      value,
      clicks: this.#sums.at(index * 2),
      hits: this.#sums.at(index * 2 + 1),
    }));
  }

  #clear(): void {
    this.#indexes.clear();
    this.#values.clear();
    this.#sums.clear();
  }
}

/**
 * The largest groups by values that are counted in rounds, lowest values first. A round counts values from `from` on, and returns
 * the lowest value that it left for the next round.
 */
export async function groupsInRounds(
  limit: number,
  round: (groups: Groups, from: number) => Promise<number>,
): Promise<readonly GroupCount[]> {
  const groups = new Groups(limit);
  for (let from = 0; from < Number.POSITIVE_INFINITY; ) {
    from = await round(groups, from);
    groups.finish();
  }
  return groups.largest;
}
