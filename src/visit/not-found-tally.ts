import { minuteLength } from '../rules/durations.ts';
import { suffixOf } from '../rules/path-suffix.ts';
import { isProbe } from '../rules/probe-path.ts';
import { checkSuffix } from '../rules/suffix.ts';
import { ownText } from '../rules/text.ts';
import { dayOf } from '../rules/utc-time.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { HitTrust } from './hit.ts';
import { isPerson } from './is-person.ts';
import type { Visit } from './visit.ts';

interface MissingAddress {
  readonly domainId: number;
  readonly day: number;
  readonly suffix: string;
  /** Visits that `take` has not returned yet. */
  visits: number;
}

/** The missing addresses that one network requested; null once they are more than a person mistypes. */
interface Network {
  readonly since: number;
  addresses: Map<string, MissingAddress> | null;
}

/** A network with more addresses than this within `networkLifetime` is a scanner. */
const maxAddresses = 5;
const networkLifetime = 10 * minuteLength;
/** Networks that are remembered at once; the oldest is dropped first. With the longest addresses they take 8 MB. */
const maxNetworks = 2_000;

/**
 * Counts in memory which missing addresses people request, until the counts are moved to the store. Machines are excluded by
 * their user agent, by what they request, and by the number of addresses they try: then the earlier counts of their network are
 * dropped as well. Of a network only a hash is kept, for ten minutes.
 */
export class NotFoundTally {
  readonly #trust: HitTrust;
  readonly #now: () => number;
  readonly #networks = new Map<number, Network>();

  constructor(trust: HitTrust, now: () => number) {
    this.#trust = trust;
    this.#now = now;
  }

  count(visit: Visit): void {
    if (visit.method !== 'GET') return;
    const suffix = suffixOf(visit.path);
    if (suffix === null || !isPerson(visit, this.#trust)) return;
    const { domainId } = visit;
    if (checkSuffix(suffix, domainId === defaultDomainId) !== null || isProbe(suffix)) return;
    const now = this.#now();
    const network = this.#networkOf(visit.network, now);
    if (network.addresses === null) return;
    const day = dayOf(now);
    const key = `${domainId} ${day} ${suffix}`;
    const existing = network.addresses.get(key);
    if (existing) existing.visits += 1;
    else if (network.addresses.size === maxAddresses) network.addresses = null;
    else network.addresses.set(ownText(key), { domainId, day, suffix: ownText(suffix), visits: 1 });
  }

  /** Returns the counts since the last call. */
  take(): readonly NotFoundCount[] {
    const counts = new Map<string, { -readonly [Field in keyof NotFoundCount]: NotFoundCount[Field] }>();
    const now = this.#now();
    for (const [hash, { since, addresses }] of this.#networks) {
      for (const [key, address] of addresses ?? []) {
        if (address.visits === 0) continue;
        const count = counts.get(key);
        if (count) count.visits += address.visits;
        else counts.set(key, { ...address });
        address.visits = 0;
      }
      // Also if the clock was set back.
      if (Math.abs(now - since) >= networkLifetime) this.#networks.delete(hash);
    }
    return [...counts.values()];
  }

  #networkOf(name: string, now: number): Network {
    const hash = Bun.hash.xxHash32(name);
    const known = this.#networks.get(hash);
    if (known) return known;
    const [oldest] = this.#networks.keys();
    if (this.#networks.size >= maxNetworks && oldest !== undefined) this.#networks.delete(oldest);
    const network: Network = { since: now, addresses: new Map() };
    this.#networks.set(hash, network);
    return network;
  }
}
