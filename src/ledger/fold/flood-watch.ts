import { minuteLength } from '../../rules/durations.ts';
import { FloatList } from '../../structures/float-list.ts';

const counters = 1 << 16;
const maxCount = 60_000;

/**
 * Finds hot pairs of a link and a network: those with at least a hundredth of the limit in a minute. Many pairs share a counter,
 * and counters are halved every minute: it costs other hits nearly nothing, and at worst a pair is checked more closely than
 * needed. What counts as a flood is decided by the claims, from the stored levels that all journals share.
 */
export class FloodWatch {
  readonly #threshold: number;
  readonly #counts = new Uint16Array(counters);
  #minute = Number.NEGATIVE_INFINITY;
  /** Pairs of a row and its pair's key, for each hit on a hot pair. */
  readonly hot = new FloatList();

  constructor(limit: number) {
    this.#threshold = Math.min(maxCount, Math.max(1, Math.floor(limit / 100)));
  }

  /** Counts a hit, and returns whether its pair is hot. `network` is a checksum, as counters are shared anyway. */
  isHot(linkId: number, network: number, at: number): boolean {
    const now = Math.floor(at / minuteLength);
    if (now > this.#minute) this.#halve(now);
    const mixed = Math.imul(network ^ Math.imul(linkId, 0x85eb_ca6b), 0x9e37_79b1);
    const index = (mixed ^ (mixed >>> 15)) & (counters - 1);
    const count = (this.#counts[index] ?? 0) + 1;
    if (count <= maxCount) this.#counts[index] = count;
    return count >= this.#threshold;
  }

  #halve(now: number): void {
    const counts = this.#counts;
    if (now > this.#minute + 1) counts.fill(0);
    else for (let index = 0; index < counters; index++) counts[index] = (counts[index] ?? 0) >> 1;
    this.#minute = now;
  }
}
