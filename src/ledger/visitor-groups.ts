import type { FloatList } from '../structures/float-list.ts';
import type { DayVisitors } from './fold-store.ts';

/**
 * The visitors of a batch who are perhaps new, by day and owner. They come owner by owner, nearly always in order and
 * of one day, and no intermediate objects are made of them.
 */
export class VisitorGroups {
  #groups: DayVisitors[] = [];

  clear(): void {
    this.#groups = [];
  }

  /** `visits` are all of the owner: day, visitor; one behind the other. */
  add(owner: number, visits: FloatList): void {
    const { length } = visits;
    if (length === 0) return;
    const day = visits.at(0);
    let one = 2;
    while (one < length && visits.at(one) === day) one += 2;
    if (one >= length) this.#addDay(owner, day, visits);
    else for (const each of daysOf(visits)) this.#addDay(owner, each, visits);
  }

  get all(): readonly DayVisitors[] {
    return this.#groups;
  }

  #addDay(owner: number, day: number, visits: FloatList): void {
    let count = 0;
    for (let one = 0; one < visits.length; one += 2) if (visits.at(one) === day) count += 1;
    const visitors = new Float64Array(count);
    count = 0;
    for (let one = 0; one < visits.length; one += 2)
      if (visits.at(one) === day) visitors[count++] = visits.at(one + 1);
    if (count > 1) visitors.sort();
    this.#groups.push({ day, owner, visitors });
  }
}

/** In the order of the key of daily_visitors: nearly always they are. */
export function groupsInOrder(groups: DayVisitors[]): DayVisitors[] {
  const isInOrder = groups.every((group, index) => {
    const before = groups[index - 1];
    return before === undefined || inOrder(before, group) < 0;
  });
  return isInOrder ? groups : groups.sort(inOrder);
}

const inOrder = (one: DayVisitors, other: DayVisitors): number =>
  one.day - other.day || one.owner - other.owner;

function daysOf(visits: FloatList): Set<number> {
  const days = new Set<number>();
  for (let one = 0; one < visits.length; one += 2) days.add(visits.at(one));
  return days;
}
