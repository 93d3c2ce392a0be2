import { FloatList } from '../../structures/float-list.ts';
import { IntTable } from '../../structures/int-table.ts';

const pair = 2 ** 32;
/** Up to this number the simplest sort is the fastest. */
const fewKeys = 48;

export const kindOf = (key: number): number => Math.floor(key / pair);
export const countedOf = (key: number): number => key - Math.floor(key / pair) * pair;

/**
 * Counts by two integers: a kind below 2 to the 20th, a value below 2 to the 31st. A map of objects took most of the fold's time.
 */
export class RollUpTally {
  readonly #counts = new IntTable(64);
  readonly #keys = new FloatList();

  add(kind: number, value: number, count = 1): void {
    const key = kind * pair + value;
    if (this.#counts.add(key, count)) this.#keys.push(key);
  }

  /** Sorted keys of kind and value, for `kindOf` and `countedOf`. Valid until the next change. */
  keys(): Float64Array {
    const keys = this.#keys.all;
    return keys.length <= fewKeys ? insertionSorted(keys) : keys.sort();
  }

  count(key: number): number {
    return Math.max(0, this.#counts.get(key));
  }

  clear(): void {
    this.#counts.clear();
    this.#keys.clear();
  }
}

function insertionSorted(keys: Float64Array): Float64Array {
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] ?? 0;
    let at = next;
    for (; at > 0 && (keys[at - 1] ?? 0) > key; at--) keys[at] = keys[at - 1] ?? 0;
    keys[at] = key;
  }
  return keys;
}
