import { Refusal } from '../rules/errors.ts';
import { networksAround } from '../rules/networks.ts';
import {
  type AttemptCount,
  countAttempts,
  type Window,
  withdrawAttempts,
} from '../storage/accounts/attempts.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import { BoundedCache } from '../structures/bounded-cache.ts';
import type { Secrets } from './secrets.ts';

export interface Limit {
  /** What is limited. Hashed before it is stored, because it may contain an address. */
  readonly key: string;
  readonly max: number;
  /** In milliseconds. */
  readonly window: number;
  /** Beyond the limit attempts are slowed down instead of stopped: each takes one of these lanes while it is free. */
  readonly slowLanes?: SlowLanes;
}

/** Two lanes, so that repeated attempts don't delay first ones. */
interface SlowLanes {
  /** For clients with at most `maxFresh` attempts under `freshKey`, which is one of the limits. */
  readonly freshKey: string;
  readonly maxFresh: number;
  /** How long one attempt takes the lane, in milliseconds. */
  readonly fresh: number;
  readonly again: number;
}

const maxRemembered = 10_000;
/** How long a refusal is repeated without querying the store, where right guesses may have been uncounted meanwhile. */
const recheck = 2_000;

interface NetworkLimits {
  /** An IPv4 address or a /64; a /56; a /24 of IPv4 or a /48. */
  readonly narrow: number;
  readonly middle: number;
  readonly wide: number;
}

/** A limit for a client's network, and larger ones for the networks around it: a /48 doesn't count as 65,536 /64s. */
export const networkLimits = (
  purpose: string,
  network: string,
  max: NetworkLimits,
  window: number,
): readonly Limit[] =>
  networksAround(network).map(({ name, size }) => ({ key: `${purpose}|${name}`, max: max[size], window }));

/** Counts attempts in the store before they are checked, so that all nodes count together. */
export class RateLimit {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #now: () => number;
  /** Keys known to be over their limit, and until when: a flood causes no queries. */
  readonly #closed = new BoundedCache<{ readonly until: number; readonly recheckAt: number }>(maxRemembered);
  /** Keys known not to be fresh any more, and until when: they take the other lane. */
  readonly #notFresh = new BoundedCache<number>(maxRemembered);

  constructor(database: Database, secrets: Secrets, now: () => number) {
    this.#database = database;
    this.#secrets = secrets;
    this.#now = now;
  }

  /**
   * Reserves one attempt under every limit, or refuses: an attempt stopped by one limit doesn't count for the others. The
   * returned function uncounts the attempt: call it if the attempt was right. `reason` is for calls that aren't wrong in themselves.
   */
  async reserve(limits: readonly Limit[], reason = 'Too many wrong attempts.'): Promise<() => Promise<void>> {
    const now = this.#now();
    const keyed = limits.map((limit) => this.#keyed(limit));
    for (const limit of keyed) {
      const wait = this.#cachedWait(limit, now);
      if (wait > 0) throw tooMany(wait, reason);
    }
    const refused = await this.#database.write((queries) => countAll(queries, keyed, now));
    if (refused) {
      const { key, until, notFresh } = refused;
      this.#closed.set(key, { until, recheckAt: now + recheck });
      if (notFresh) this.#notFresh.set(notFresh.key, notFresh.until);
      throw tooMany(until - now, reason);
    }
    const keys = keyed.map(({ key }) => key);
    return async () => {
      for (const key of keys) this.#closed.delete(key);
      await this.#database.write((queries) => withdrawAttempts(queries, keys, now));
    };
  }

  #keyed(limit: Limit): KeyedLimit {
    const key = this.#secrets.sign('attempts', limit.key, 32);
    const { slowLanes } = limit;
    if (slowLanes === undefined) return { ...limit, key, slowLanes: null };
    const lane = (name: string, window: number): Window => ({
      key: this.#secrets.sign('attempts', `${limit.key}|${name}`, 32),
      window,
    });
    const lanes = { fresh: lane('fresh', slowLanes.fresh), again: lane('again', slowLanes.again) };
    const freshKey = this.#secrets.sign('attempts', slowLanes.freshKey, 32);
    return { ...limit, key, slowLanes: { freshKey, maxFresh: slowLanes.maxFresh, ...lanes } };
  }

  /** For how many milliseconds this limit refuses, according to this node's cache; 0: the store has to be queried. */
  #cachedWait({ key, slowLanes }: KeyedLimit, now: number): number {
    const isRepeated = slowLanes !== null && (this.#notFresh.get(slowLanes.freshKey) ?? 0) > now;
    const closed = this.#closed.get(
      slowLanes === null ? key : (isRepeated ? slowLanes.again : slowLanes.fresh).key,
    );
    // One that is checked again later than a new one would be was remembered while the clock was ahead.
    if (!closed || closed.recheckAt > now + recheck) return 0;
    return Math.min(closed.until, closed.recheckAt) > now ? closed.until - now : 0;
  }
}

interface Refused {
  readonly key: string;
  readonly until: number;
  /** The key that is not fresh any more, and when it will be again. */
  readonly notFresh: { readonly key: string; readonly until: number } | null;
}

interface KeyedLimit extends Window {
  readonly max: number;
  readonly slowLanes: {
    readonly freshKey: string;
    readonly maxFresh: number;
    readonly fresh: Window;
    readonly again: Window;
  } | null;
}

/** A refused attempt was not made, and is uncounted. */
async function countAll(queries: Queries, limits: readonly KeyedLimit[], now: number) {
  const counts = await countAttempts(queries, limits, now);
  const refused = await firstRefusal(queries, limits, counts, now);
  if (refused !== null)
    await withdrawAttempts(
      queries,
      limits.map(({ key }) => key),
      now,
    );
  return refused;
}

async function firstRefusal(
  queries: Queries,
  limits: readonly KeyedLimit[],
  counts: ReadonlyMap<string, AttemptCount>,
  now: number,
): Promise<Refused | null> {
  const exceeded = limits.filter(({ key, max }) => (counts.get(key)?.count ?? 0) > max);
  const stopped = exceeded.find(({ slowLanes }) => slowLanes === null);
  if (stopped)
    return { key: stopped.key, until: counts.get(stopped.key)?.windowEndsAt ?? now, notFresh: null };
  for (const { slowLanes } of exceeded) {
    if (slowLanes === null) continue;
    const freshCount = counts.get(slowLanes.freshKey);
    const notFresh =
      freshCount && freshCount.count > slowLanes.maxFresh
        ? { key: slowLanes.freshKey, until: freshCount.windowEndsAt }
        : null;
    const lane = notFresh === null ? slowLanes.fresh : slowLanes.again;
    const laneCount = (await countAttempts(queries, [lane], now)).get(lane.key);
    if (laneCount && laneCount.count > 1) return { key: lane.key, until: laneCount.windowEndsAt, notFresh };
  }
  return null;
}

/** How long to wait, as a text. */
const waitOf = (seconds: number): string =>
  seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

function tooMany(wait: number, reason: string): Refusal {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new Refusal('TOO_MANY_ATTEMPTS', `${reason} Try again in ${waitOf(seconds)}.`, {
    retryAfter: seconds,
  });
}
