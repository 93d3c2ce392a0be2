import type { DayVisitors } from '../storage/fold-store.ts';

interface Group {
  readonly owner: number;
  readonly day: number;
  readonly visitors: number[];
}

/** Days since the epoch stay below this for another 170 years. */
const mostDays = 100_000;

/** The visitors of a stretch who are perhaps new, by owner and day. */
export class VisitorGroups {
  #groups = new Map<number, Group>();

  clear(): void {
    this.#groups = new Map();
  }

  add(owner: number, day: number, visitor: number): void {
    const key = owner * mostDays + day;
    const group = this.#groups.get(key);
    if (group) group.visitors.push(visitor);
    else this.#groups.set(key, { owner, day, visitors: [visitor] });
  }

  /** In the order of the key of daily_visitors. */
  sorted(): DayVisitors[] {
    const groups = Array.from(this.#groups.values(), ({ owner, day, visitors }) => ({
      owner,
      day,
      visitors: Float64Array.from(visitors).sort(),
    }));
    return groups.sort((one, other) => one.day - other.day || one.owner - other.owner);
  }
}
