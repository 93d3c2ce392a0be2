import { dayOfHour } from '../../rules/utc-time.ts';
import type { FloatList } from '../../structures/float-list.ts';
import type { HourVisitors } from '../fold-store.ts';

/**
 * The visitors of a batch who may be new, by hour and owner. They are added owner by owner, nearly always in order and of one
 * hour, without intermediate objects.
 */
export class VisitorGroups {
  #groups: HourVisitors[] = [];

  clear(): void {
    this.#groups = [];
  }

  /** `visits` are all of the owner and variant: pairs of hour and visitor. */
  add(owner: number, visits: FloatList, variant = 0): void {
    const { length } = visits;
    if (length === 0) return;
    const hour = visits.at(0);
    let index = 2;
    while (index < length && visits.at(index) === hour) index += 2;
    if (index >= length) this.#addHour(owner, variant, hour, visits);
    else for (const each of hoursOf(visits)) this.#addHour(owner, variant, each, visits);
  }

  /** Sorted by day, owner and hour: nearly always they are already. */
  get inOrder(): readonly HourVisitors[] {
    const groups = this.#groups;
    const isInOrder = groups.every(
      (group, index) => index === 0 || inOrder(groups[index - 1] ?? group, group) < 0,
    );
    return isInOrder ? groups : groups.sort(inOrder);
  }

  #addHour(owner: number, variant: number, hour: number, visits: FloatList): void {
    let count = 0;
    for (let index = 0; index < visits.length; index += 2) if (visits.at(index) === hour) count += 1;
    const visitors = new Float64Array(count);
    count = 0;
    for (let index = 0; index < visits.length; index += 2)
      if (visits.at(index) === hour) visitors[count++] = visits.at(index + 1);
    if (count > 1) visitors.sort();
    this.#groups.push({ hour, owner, variant, visitors });
  }
}

const inOrder = (one: HourVisitors, other: HourVisitors): number =>
  dayOfHour(one.hour) - dayOfHour(other.hour) ||
  one.owner - other.owner ||
  one.hour - other.hour ||
  one.variant - other.variant;

function hoursOf(visits: FloatList): Set<number> {
  const hours = new Set<number>();
  for (let index = 0; index < visits.length; index += 2) hours.add(visits.at(index));
  return hours;
}
