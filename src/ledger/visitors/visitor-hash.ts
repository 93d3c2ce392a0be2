import type { RandomBytes } from '../../rules/random-text.ts';
import { dayOf } from '../../rules/utc-time.ts';

export const saltLength = 32;

/** Keeps the salts of the days across restarts, the same for every node. */
export interface SaltStore {
  /**
   * Stores `fresh` as the day's salt unless the day has one already. Returns the day's salt. This may need an answer from another
   * node: waiting for it ends with StoreUnavailable when `signal` is aborted.
   */
  settle(day: number, fresh: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>;
  forgetBefore(day: number): Promise<void>;
}

/**
 * The secrets that turn an address into a visitor for one UTC day. Once a day's salt is destroyed, a visitor's address can't be
 * found any more, and nothing links the visitors of two days.
 */
export class DailySalts {
  readonly #keyed = new Map<number, Bun.CryptoHasher>();
  readonly #store: SaltStore;
  readonly #randomBytes: RandomBytes;
  #firstKept = Number.NEGATIVE_INFINITY;

  constructor(store: SaltStore, randomBytes: RandomBytes) {
    this.#store = store;
    this.#randomBytes = randomBytes;
  }

  /** Loads a day's salt for `get`. A day whose salt was destroyed gets no other, unless the clock is set back. */
  async prepare(day: number, signal?: AbortSignal): Promise<void> {
    if (day < this.#firstKept || this.#keyed.has(day)) return;
    const salt = await this.#store.settle(day, this.#randomBytes(saltLength), signal);
    if (day >= this.#firstKept) this.#keyed.set(day, new Bun.CryptoHasher('sha256', salt));
  }

  /** An HMAC initialised with the day's salt, to be copied; null if the salt was destroyed, or never prepared. */
  get(day: number): Bun.CryptoHasher | null {
    return this.#keyed.get(day) ?? null;
  }

  /**
   * Must be called at the start, before anything is prepared: this object only records what was destroyed through it. An earlier day
   * than before means that the clock was ahead: the days since then still have visitors.
   */
  async forgetBefore(day: number): Promise<void> {
    this.#firstKept = day;
    for (const kept of this.#keyed.keys()) {
      if (kept < this.#firstKept) this.#keyed.delete(kept);
    }
    await this.#store.forgetBefore(this.#firstKept);
  }
}

/** What identifies a visitor. */
interface Visit {
  readonly at: number;
  readonly organizationId: number;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * The visitor of a hit: 52 bits of an HMAC-SHA256 over organization, address and user agent under the day's salt. They fit a
 * database's integer and a JavaScript number; among ten million visitors a day, two share a number on one day in ninety. A link's
 * owner is its organization, so the visitors of two owners have nothing in common, even while the salt exists. Null if the day's
 * salt no longer exists.
 */
export function visitorHash(
  salts: Pick<DailySalts, 'get'>,
  { at, organizationId, address, userAgent }: Visit,
): number | null {
  const keyed = salts.get(dayOf(at));
  if (keyed === null) return null;
  const digest = keyed.copy().update(`${organizationId}\n${address}\n${userAgent}`).digest();
  return (digest.readUInt32BE(0) >>> 12) * 0x1_0000_0000 + digest.readUInt32BE(4);
}
