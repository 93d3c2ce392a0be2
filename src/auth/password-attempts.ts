import { dayLength, minuteLength, secondLength } from '../rules/durations.ts';
import { widestNetwork } from '../rules/networks.ts';
import { hasRecentSignIn, recordSignIn } from '../storage/accounts/attempts.ts';
import type { Database } from '../storage/database.ts';
import { BoundedCache } from '../structures/bounded-cache.ts';
import { FairSemaphore, type Priority } from './fair-semaphore.ts';
import { type Limit, networkLimits, type RateLimit } from './rate-limit.ts';
import type { Secrets } from './secrets.ts';

/** The origin of a guess. */
export interface Guesser {
  readonly network: string;
  /** The browser's id, if its cookie shows that it has signed in before. */
  readonly browser: string | null;
}

interface Attempt {
  /** The password was right or was not checked: the attempt doesn't count. */
  readonly withdraw: () => Promise<void>;
  readonly priority: Priority;
}

const knownFor = 90 * dayLength;
/** How long a network is assumed to be unknown before the store is queried again. */
const unknownFor = 2 * secondLength;
const maxRemembered = 10_000;

/** Wrong guesses at one password in a quarter of an hour, from a network or browser that has signed in before. */
const knownGuesses = 10;

/**
 * Guesses from unknown networks: limited per quarter of an hour at one password and at all passwords, and per day at one password
 * from everywhere, then slowed down. Slow guesses have two lanes: a botnet has to bring a new network every twenty seconds to
 * lock out a visitor from a network that has hardly guessed today.
 */
const unknownGuesses = (target: string, network: string): readonly Limit[] => {
  const freshKey = `${target}|today|${widestNetwork(network)}`;
  return [
    ...networkLimits(target, network, { narrow: 10, middle: 20, wide: 40 }, 15 * minuteLength),
    ...networkLimits('network', network, { narrow: 60, middle: 120, wide: 240 }, 15 * minuteLength),
    { key: freshKey, max: Number.POSITIVE_INFINITY, window: dayLength },
    {
      key: `${target}|everyone`,
      max: 1_000,
      window: dayLength,
      slowLanes: { freshKey, maxFresh: 3, fresh: 20 * secondLength, again: minuteLength },
    },
  ];
};

/** Limits guesses at passwords, so that their owners can sign in while others guess. */
export class PasswordAttempts {
  readonly #limits: RateLimit;
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #now: () => number;
  readonly #unknown = new BoundedCache<number>(maxRemembered);
  /**
   * Guesses at one password are counted in the same rows, and would wait there for each other on all of the store's connections.
   */
  readonly #counting = new FairSemaphore(1_000);

  constructor(limits: RateLimit, database: Database, secrets: Secrets, now: () => number) {
    this.#limits = limits;
    this.#database = database;
    this.#secrets = secrets;
    this.#now = now;
  }

  /** Counts a guess at a password before it is checked, or refuses it. */
  async reserve(target: string, { network, browser }: Guesser): Promise<Attempt> {
    const known = await this.knownAs(target, { network, browser });
    const limits =
      known === null
        ? unknownGuesses(target, network)
        : [{ key: `${target}|${known}`, max: knownGuesses, window: 15 * minuteLength }];
    // Also for a known browser: anyone can make any number of them, with an account or a link of their own.
    const priority = { clientKey: widestNetwork(network), isKnown: known !== null };
    const withdraw = priority.isKnown
      ? await this.#limits.reserve(limits)
      : await this.#counting.run(priority, () => this.#limits.reserve(limits));
    return { withdraw, priority };
  }

  /** The key of a client with its own limit, because it has signed in before: the browser, or the network. Null for all others. */
  async knownAs(target: string, { network, browser }: Guesser): Promise<string | null> {
    if (browser !== null) return `browser|${browser}`;
    return (await this.#isKnownNetwork(target, network)) ? `known|${network}` : null;
  }

  /** After a sign-in the network has a limit of its own for 90 days. Stored as a hash, because it contains an address. */
  async rememberNetwork(target: string, network: string): Promise<void> {
    const key = this.#keyOf(target, network);
    await this.#database.write((queries) => recordSignIn(queries, { key, window: knownFor }, this.#now()));
    this.#unknown.delete(key);
  }

  async #isKnownNetwork(target: string, network: string): Promise<boolean> {
    const [key, now] = [this.#keyOf(target, network), this.#now()];
    if ((this.#unknown.get(key) ?? 0) > now) return false;
    if (await hasRecentSignIn(this.#database.lookup, key, now)) return true;
    this.#unknown.set(key, now + unknownFor);
    return false;
  }

  #keyOf(target: string, network: string): string {
    return this.#secrets.sign('attempts', `${target}|got in|${network}`, 32);
  }
}
