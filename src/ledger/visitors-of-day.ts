import { DenseNumberSet } from '../structures/dense-number-set.ts';
import type { FloatList } from '../structures/float-list.ts';
import { NumberSet } from '../structures/number-set.ts';
import { readRun } from './visitor-runs.ts';

const upper = 2 ** 32;

/**
 * Owner and visitor in one number of 52 bits. Visitors are evenly spread, and stay so. No two owners with ids below 2 to the 31st
 * share that of one visitor; of two visitors they may, as seldom as two visitors have one hash.
 */
function keyOf(owner: number, visitor: number): number {
  const high = Math.floor(visitor / upper) ^ (Math.imul(owner, 0x85ebca6b) >>> 12);
  return high * upper + ((visitor ^ Math.imul(owner, 0x9e3779b1)) >>> 0);
}

/** The visitors of a day who are in its runs, as far as this process has read them, and those that it is about to add. */
export class VisitorsOfDay {
  readonly #known = new DenseNumberSet();
  /** In the transaction that is open. */
  readonly #fresh = new NumberSet();
  readonly #freshKeys: number[] = [];
  /** The runs up to this number have been read. */
  newest = 0;
  /** Another one where visitors have been deleted since. */
  edition = 0;

  get size(): number {
    return this.#known.size;
  }

  has(owner: number, visitor: number): boolean {
    return this.#known.has(keyOf(owner, visitor));
  }

  forget(): void {
    this.#known.clear();
    this.newest = 0;
  }

  takeRun(bytes: Buffer): void {
    readRun(bytes, (owner, visitors) => {
      for (let index = 0; index < visitors.length; index++) this.#known.add(keyOf(owner, visitors.at(index)));
    });
  }

  /** Leaves those in the list whom nobody has counted yet. */
  keepFresh(owner: number, given: Float64Array, list: FloatList): void {
    list.clear();
    for (const visitor of given) {
      const key = keyOf(owner, visitor);
      if (this.#known.has(key) || !this.#fresh.add(key)) continue;
      this.#freshKeys.push(key);
      list.push(visitor);
    }
  }

  /** What was fresh in a transaction that has failed is forgotten. */
  begin(): void {
    this.#fresh.clear();
    this.#freshKeys.length = 0;
  }

  /** The transaction has been committed. */
  commit(): void {
    for (const key of this.#freshKeys) this.#known.add(key);
    this.begin();
  }
}
