import { isRepeat, repeatWindow } from '../rules/click-class.ts';
import { TwoGenerationTable } from '../structures/two-generation-table.ts';

/** Instants are kept as distances from a first one: they fit into 31 bits for some twelve days to either side. */
const maxDistance = 2 ** 30;

/**
 * The clicks of the last seconds, to detect repeats. It knows no clock: the same hits in the same order give the same
 * answers. A generation is one window long or `max` clicks large; past `max` clicks in a window a repeat may pass as a click.
 */
export class RecentVisits {
  readonly #visits: TwoGenerationTable;
  #begin = 0;
  #youngSince = Number.NEGATIVE_INFINITY;

  constructor(max = 100_000) {
    this.#visits = new TwoGenerationTable(max);
  }

  /**
   * Whether this click repeats one on the same link; if not, it is noted. A repeat doesn't extend the window: visitors
   * who share an address and a kind of phone count at least once per window.
   */
  repeats(linkId: number, visitor: number, at: number): boolean {
    if (Math.abs(at - this.#begin) >= maxDistance) {
      this.#visits.clear();
      this.#begin = at;
    }
    // Visitor hashes are evenly spread, so two visitors never come within a link id of each other in practice.
    const key = visitor + linkId;
    const seen = this.#visits.get(key);
    const zero = this.#begin - maxDistance;
    if (isRepeat(seen < 0 ? undefined : zero + seen, at)) return true;
    if (Math.abs(at - this.#youngSince) >= repeatWindow || this.#visits.isFull) {
      this.#visits.turn();
      this.#youngSince = at;
    }
    this.#visits.set(key, at - zero);
    return false;
  }

  get size(): number {
    return this.#visits.size;
  }
}
