import { isProbe } from '../rules/probe-path.ts';
import { checkSuffix } from '../rules/suffix.ts';
import { ownText } from '../rules/text.ts';
import { dayOf } from '../rules/utc-time.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { HitTrust } from './hit.ts';
import { isPerson } from './is-person.ts';
import { suffixOf } from './path-suffix.ts';
import type { Visit } from './visit.ts';

interface Asked {
  readonly domainId: number;
  readonly day: number;
  readonly suffix: string;
  /** Visits that `take` has not returned yet. */
  visits: number;
}

/** What one network asked for; null once that was more than a person mistypes. */
interface Network {
  readonly since: number;
  asked: Map<string, Asked> | null;
}

/** A network with more addresses than this within `remembered` is a scanner. */
const maxAddresses = 5;
const remembered = 10 * 60_000;
/** Networks that are remembered at once; the oldest is dropped first. With the longest addresses they take 8 MB. */
const maxNetworks = 2_000;

/**
 * Counts in memory which missing addresses people asked for, until the counts are taken to the store. Machines are excluded by
 * their user agent, by what they ask for, and by the number of addresses they try: then the earlier counts of their network are
 * taken back as well. Of a network only a hash is kept, for ten minutes.
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
    if (network.asked === null) return;
    const day = dayOf(now);
    const key = `${domainId} ${day} ${suffix}`;
    const before = network.asked.get(key);
    if (before) before.visits += 1;
    else if (network.asked.size === maxAddresses) network.asked = null;
    else network.asked.set(ownText(key), { domainId, day, suffix: ownText(suffix), visits: 1 });
  }

  /** Returns the counts since the last call. */
  take(): readonly NotFoundCount[] {
    const counts = new Map<string, { -readonly [Field in keyof NotFoundCount]: NotFoundCount[Field] }>();
    const over = this.#now() - remembered;
    for (const [hash, { since, asked }] of this.#networks) {
      for (const [key, address] of asked ?? []) {
        if (address.visits === 0) continue;
        const count = counts.get(key);
        if (count) count.visits += address.visits;
        else counts.set(key, { ...address });
        address.visits = 0;
      }
      if (since <= over) this.#networks.delete(hash);
    }
    return [...counts.values()];
  }

  #networkOf(name: string, now: number): Network {
    const hash = Bun.hash.xxHash32(name);
    const known = this.#networks.get(hash);
    if (known) return known;
    const [oldest] = this.#networks.keys();
    if (this.#networks.size >= maxNetworks && oldest !== undefined) this.#networks.delete(oldest);
    const network: Network = { since: now, asked: new Map() };
    this.#networks.set(hash, network);
    return network;
  }
}
