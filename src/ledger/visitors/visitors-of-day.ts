import { DenseNumberSet } from '../../structures/dense-number-set.ts';
import type { FloatList } from '../../structures/float-list.ts';
import { readRun } from './visitor-runs.ts';

const upper = 2 ** 32;

/**
 * Owner and visitor in one number of 52 bits, evenly distributed like visitors. Two owners with ids below 2 to the 31st never
 * have the same number for one visitor; for two visitors they may, as rarely as two visitors have the same hash.
 */
function keyOf(owner: number, visitor: number): number {
  const high = Math.floor(visitor / upper) ^ (Math.imul(owner, 0x85ebca6b) >>> 12);
  return high * upper + ((visitor ^ Math.imul(owner, 0x9e3779b1)) >>> 0);
}

/** The visitors of a day in the runs that this process has read, and those that it is about to add. */
export class VisitorsOfDay {
  readonly #known = new DenseNumberSet();
  /** Of the open transaction. */
  readonly #fresh = new Set<number>();
  /** The runs up to this number have been read. */
  newest = 0;
  /** Changes when visitors are deleted. */
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

  /** Fills the list with the visitors that have not been counted yet. */
  keepFresh(owner: number, given: Float64Array, list: FloatList): void {
    list.clear();
    for (const visitor of given) {
      const key = keyOf(owner, visitor);
      if (this.#known.has(key) || this.#fresh.has(key)) continue;
      this.#fresh.add(key);
      list.push(visitor);
    }
  }

  /** Forgets the fresh visitors of a failed transaction. */
  begin(): void {
    this.#fresh.clear();
  }

  /** The transaction has been committed. */
  commit(): void {
    for (const key of this.#fresh) this.#known.add(key);
    this.begin();
  }
}
