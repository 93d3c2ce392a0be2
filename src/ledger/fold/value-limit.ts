import { IntTable } from '../../structures/int-table.ts';

/** Stands for all further values of a link with too many in one hour. */
export const otherValues = '(other)';

const maxOwners = 100_000;
const maxPairs = 400_000;
const fields = 16;
/** More than there are words at a time. Keys of pairs are exact for links up to 2 to the 28th. */
const values = 2 ** 21;

/**
 * Values that visitors make up (a UTM parameter, a referrer) could create a new row for every hit. Only a limited number of them
 * are counted separately per link, hour and field. Counted from this process's start, and reset when there are too many links or
 * values. Values are indexes of words.
 */
export class ValueLimit {
  readonly #max: number;
  #hour = 0;
  /** By owner (a link and a field): the first value, which for most owners is the only one. */
  readonly #firsts = new IntTable();
  /** By owner: the number of further values. */
  readonly #further = new IntTable();
  /** Pairs of owner and further value. */
  readonly #pairs = new IntTable();

  constructor(max = 200) {
    this.#max = max;
  }

  /** Must be called when the indexes of words have become invalid. */
  clear(): void {
    for (const table of [this.#firsts, this.#further, this.#pairs]) table.clear();
  }

  /** Whether a value is counted separately, as it will be from then on. `field` is less than 16. */
  admits(linkId: number, field: number, hour: number, value: number): boolean {
    this.#begin(hour);
    const owner = linkId * fields + field;
    const first = this.#firsts.get(owner);
    if (first < 0) this.#firsts.set(owner, value);
    return first < 0 || first === value || this.#admitsFurther(owner, value);
  }

  /** Whether a new value would be counted separately. */
  hasRoom(linkId: number, field: number, hour: number): boolean {
    this.#begin(hour);
    const owner = linkId * fields + field;
    return this.#firsts.get(owner) < 0 || this.#furtherOf(owner) + 1 < this.#max;
  }

  #begin(hour: number): void {
    if (hour === this.#hour && this.#firsts.size <= maxOwners && this.#pairs.size <= maxPairs) return;
    this.#hour = hour;
    this.clear();
  }

  #admitsFurther(owner: number, value: number): boolean {
    const pair = owner * values + value;
    if (this.#pairs.get(pair) >= 0) return true;
    if (this.#furtherOf(owner) + 1 >= this.#max) return false;
    this.#further.add(owner, 1);
    this.#pairs.set(pair, 0);
    return true;
  }

  #furtherOf(owner: number): number {
    return Math.max(0, this.#further.get(owner));
  }
}
