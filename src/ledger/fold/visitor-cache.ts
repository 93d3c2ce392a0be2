import { firstLanguage } from '../../rules/agents/user-agent.ts';
import { classify } from '../../rules/click-class.ts';
import { classCodes, deviceCodes, reasonCodes } from '../../rules/click-fields.ts';
import { floodNetwork } from '../../rules/networks.ts';
import { cityWord } from '../../rules/place.ts';
import { dayOf } from '../../rules/utc-time.ts';
import { ByteCache } from '../../structures/byte-cache.ts';
import { noVisitor } from '../fold-store.ts';
import { visitorHash } from '../visitors/visitor-hash.ts';
import type { EnrichParts } from './enrich.ts';
import type { HitCursor } from './hit-cursor.ts';
import { lowerHalf, upperHalf } from './repeat-key.ts';
import type { WordIds } from './word-ids.ts';

/** Facts about a combination of address, user agent, languages and method, on one day and for one organization. */
export interface VisitorFacts {
  readonly day: number;
  readonly organizationId: number;
  readonly class: number;
  readonly reason: number;
  readonly device: number;
  /** The index of a word, as are the next five. */
  readonly country: number;
  /** 0 if unknown, like the city. */
  readonly region: number;
  readonly city: number;
  readonly os: number;
  readonly browser: number;
  /** At most three letters, so that even made-up ones are few enough to become words before they are limited. */
  readonly language: number;
  /** A checksum of the network. */
  readonly network: number;
  /** See `networkHash`; null until it is needed. */
  networkHash: number | null;
  /** A hash of all languages, and of the client hints. */
  readonly languages: number;
  /** `noVisitor` if the day's salt no longer exists. */
  readonly visitor: number;
  /** Its halves. */
  readonly lower: number;
  readonly upper: number;
}

const maxVisitors = 131_072;
const maxNetworks = 4_096;

/** Recent visitors. Repeat visitors are recognised by their raw bytes, which saves an HMAC and a network lookup. */
export class VisitorCache {
  readonly #parts: EnrichParts;
  readonly #words: WordIds;
  readonly #recent = new ByteCache<VisitorFacts>(maxVisitors);
  readonly #networks = new Map<string, number>();
  #last: VisitorFacts | null = null;

  constructor(parts: EnrichParts, words: WordIds) {
    this.#parts = parts;
    this.#words = words;
  }

  /** Must be called when the indexes of words have become invalid. */
  clear(): void {
    this.#recent.clear();
    this.#networks.clear();
    this.#last = null;
  }

  of(hit: HitCursor, day: number): VisitorFacts {
    const last = this.#last;
    // Consecutive hits often come from the same visitor.
    if (hit.isSameVisitor && last !== null && isFor(last, hit, day)) return last;
    this.#last = this.#find(hit, day);
    return this.#last;
  }

  #find(hit: HitCursor, day: number): VisitorFacts {
    const cached = hit.cachedVisitor(this.#recent);
    if (cached !== undefined && isFor(cached, hit, day)) return cached;
    const created = this.#create(hit, day);
    hit.cacheVisitor(this.#recent, created);
    return created;
  }

  /** A number under the salt of the day, from which the network can't be found. For the few hits that may be part of a flood. */
  networkHash(facts: VisitorFacts, hit: HitCursor): number {
    // The address is a string that is only built when needed.
    facts.networkHash ??= this.#hashNetwork(hit.at, floodNetwork(hit.address));
    return facts.networkHash;
  }

  #hashNetwork(at: number, network: string): number {
    const key = `${dayOf(at)} ${network}`;
    let hash = this.#networks.get(key);
    if (hash === undefined) {
      const visit = { at, organizationId: 0, address: network, userAgent: '' };
      hash = visitorHash(this.#parts.salts, visit) ?? noVisitor;
      if (this.#networks.size >= maxNetworks) this.#networks.clear();
      this.#networks.set(key, hash);
    }
    return hash;
  }

  #create(hit: HitCursor, day: number): VisitorFacts {
    const parts = this.#parts;
    const words = this.#words;
    const { at, organizationId, method, address, userAgent } = hit;
    const agent = parts.agentOf(userAgent);
    const visitor = visitorHash(parts.salts, { at, organizationId, address, userAgent }) ?? noVisitor;
    const place = parts.placeOf(address);
    const found = classify(
      { method, userAgent, purpose: '', headerEvidence: 'none' },
      () => agent.classification,
    );
    return {
      day,
      organizationId,
      class: classCodes[found.class],
      reason: reasonCodes[found.reason],
      device: deviceCodes[agent.device],
      country: words.indexOf(place.country),
      region: words.indexOf(place.region),
      city: words.indexOf(cityWord(place)),
      os: words.indexOf(agent.os),
      browser: words.indexOf(agent.browser),
      language: words.indexOf(firstLanguage(hit.acceptLanguage)),
      network: Bun.hash.crc32(floodNetwork(address)),
      networkHash: null,
      languages: Bun.hash.crc32(`${hit.acceptLanguage}\n${hit.clientHints}`),
      visitor,
      lower: lowerHalf(visitor),
      upper: upperHalf(visitor),
    };
  }
}

const isFor = (facts: VisitorFacts, hit: HitCursor, day: number): boolean =>
  facts.day === day && facts.organizationId === hit.organizationId;
