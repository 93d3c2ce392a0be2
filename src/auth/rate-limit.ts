import { Refusal } from '../rules/errors.ts';
import { countAttempt, forgiveAttempt } from '../storage/attempts.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import type { Secrets } from './secrets.ts';

export interface Limit {
  /** Who or what is limited. Hashed before it is stored: it may hold an address. */
  readonly key: string;
  readonly most: number;
  /** In milliseconds. */
  readonly window: number;
}

const minute = 60_000;
const mostRemembered = 10_000;
/** How long a refusal is repeated without asking the store, where right guesses may have been taken back meanwhile. */
const recheck = 2_000;

/** Ten guesses at a password from one network in a quarter of an hour, and a cap a day from everywhere. */
export const guessLimits = (target: string, network: string): readonly Limit[] => [
  { key: `${target}|${network}`, most: 10, window: 15 * minute },
  { key: `network|${network}`, most: 60, window: 15 * minute },
  { key: `${target}|everyone`, most: 1_000, window: 24 * 60 * minute },
];

/** Counts attempts before they are looked at, in the store, so that all nodes count together. */
export class RateLimit {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #now: () => number;
  /** Keys known to be over their limit, and until when: a flood costs no query. */
  readonly #closed = new Map<string, { readonly until: number; readonly askAgainAt: number }>();

  constructor(database: Database, secrets: Secrets, now: () => number) {
    this.#database = database;
    this.#secrets = secrets;
    this.#now = now;
  }

  /**
   * Reserves one attempt under every limit, the narrowest first, or refuses; what a narrow limit stops doesn't eat
   * from the wider ones. The returned function gives the attempt back: call it when the attempt was right.
   */
  async reserve(limits: readonly Limit[]): Promise<() => Promise<void>> {
    const now = this.#now();
    const keyed = limits.map((limit) => ({ ...limit, key: this.#secrets.sign('attempts', limit.key, 32) }));
    for (const { key } of keyed) {
      const closed = this.#closed.get(key);
      if (closed && Math.min(closed.until, closed.askAgainAt) > now) throw tooMany(closed.until - now);
    }
    const over = await this.#database.write((queries) => countAll(queries, keyed, now));
    if (over) {
      this.#remember(over.key, { until: over.until, askAgainAt: now + recheck });
      throw tooMany(over.until - now);
    }
    return async () => {
      for (const { key } of keyed) this.#closed.delete(key);
      await this.#database.write(async (queries) => {
        for (const { key } of keyed) await forgiveAttempt(queries, key);
      });
    };
  }

  #remember(key: string, closed: { until: number; askAgainAt: number }): void {
    this.#closed.set(key, closed);
    if (this.#closed.size > mostRemembered) this.#closed.delete(this.#closed.keys().next().value ?? '');
  }
}

/** The first limit that is passed ends the counting. The attempt it refused was not made, and is taken back. */
async function countAll(queries: Queries, limits: readonly Limit[], now: number) {
  const counted: string[] = [];
  for (const { key, most, window } of limits) {
    const { count, windowEndsAt } = await countAttempt(queries, key, now, window);
    counted.push(key);
    if (count <= most) continue;
    for (const refused of counted) await forgiveAttempt(queries, refused);
    return { key, until: windowEndsAt };
  }
  return null;
}

function tooMany(wait: number): Refusal {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  const shown = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new Refusal('TOO_MANY_ATTEMPTS', `Too many wrong attempts. Try again in ${shown}.`, {
    retryAfter: seconds,
  });
}
