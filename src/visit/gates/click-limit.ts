import { clickSource } from '../../rules/click-source.ts';
import type { Visit } from '../visit.ts';

interface ClickLimitParts {
  /** Takes up to `requested` of the clicks that a link has left, and returns how many. Rejects if the store doesn't answer. */
  readonly take: (linkId: number, requested: number) => Promise<number>;
  /** Milliseconds in which the same request of a browser counts as a repeat; 0 for never. */
  readonly repeatWindow: number;
  readonly now: () => number;
}

interface Waiting {
  readonly resolve: (isAdmitted: boolean) => void;
  readonly reject: (cause: unknown) => void;
}

interface Recent {
  readonly at: number;
  readonly isAdmitted: Promise<boolean>;
}

const maxRecent = 50_000;

/**
 * Lets as many clicks pass as a link has left. Each is taken from the store before it is answered; visits that arrive during such
 * a query wait for its end, and then take their clicks together. If only the store grouped them, by 64, 1,900 at once on one link
 * would wait 19 ms instead of 3, and some of 4,000 would be refused.
 */
export class ClickLimitGate {
  readonly #parts: ClickLimitParts;
  /** By link: the visits that wait for the store. */
  readonly #waiting = new Map<number, Waiting[]>();
  /** Recent clicks, oldest first. */
  readonly #recent = new Map<bigint, Recent>();
  readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;

  constructor(parts: ClickLimitParts) {
    this.#parts = parts;
  }

  /** A repeat of an admitted click doesn't take another one. */
  admits(visit: Visit, linkId: number): Promise<boolean> {
    const { repeatWindow, now } = this.#parts;
    if (repeatWindow === 0 || clickSource(visit.search).source === 'qr') return this.#take(linkId);
    const at = now();
    // The clock may have been set back.
    const isNear = (recent: Recent) => Math.abs(at - recent.at) < repeatWindow;
    this.#forgetUnless(isNear);
    const key = this.#keyOf(visit, linkId);
    const previous = this.#recent.get(key);
    if (previous && isNear(previous)) return previous.isAdmitted;
    const recent = { at, isAdmitted: this.#take(linkId) };
    this.#recent.set(key, recent);
    const forget = () => {
      if (this.#recent.get(key) === recent) this.#recent.delete(key);
    };
    recent.isAdmitted.then((isAdmitted) => isAdmitted || forget(), forget);
    return recent.isAdmitted;
  }

  /** The key by which the ledger recognises a repeat. */
  #keyOf(
    { address, userAgent, acceptLanguage, clientHints, referer, search }: Visit,
    linkId: number,
  ): bigint {
    const parts = [linkId, address, userAgent, acceptLanguage, clientHints, referer, search];
    return Bun.hash.xxHash64(JSON.stringify(parts), this.#seed);
  }

  #forgetUnless(isNear: (recent: Recent) => boolean): void {
    for (const [key, recent] of this.#recent) {
      if (isNear(recent) && this.#recent.size < maxRecent) return;
      this.#recent.delete(key);
    }
  }

  #take(linkId: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(linkId);
      if (waiting) {
        waiting.push({ resolve, reject });
        return;
      }
      this.#waiting.set(linkId, []);
      void this.#takeFor(linkId, [{ resolve, reject }]);
    });
  }

  async #takeFor(linkId: number, first: readonly Waiting[]): Promise<void> {
    for (let visits = first; visits.length > 0; ) {
      await this.#answer(linkId, visits);
      visits = this.#waiting.get(linkId) ?? [];
      if (visits.length > 0) this.#waiting.set(linkId, []);
    }
    this.#waiting.delete(linkId);
  }

  async #answer(linkId: number, visits: readonly Waiting[]): Promise<void> {
    try {
      const taken = await this.#parts.take(linkId, visits.length);
      for (const [index, { resolve }] of visits.entries()) resolve(index < taken);
    } catch (cause) {
      for (const { reject } of visits) reject(cause);
    }
  }
}
