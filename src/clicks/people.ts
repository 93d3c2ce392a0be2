import { classify } from '../rules/click-class.ts';
import { noVisitor } from '../storage/fold-store.ts';
import { classPlace, devicePlace, reasonPlace } from './codes.ts';
import type { EnrichParts } from './enrich.ts';
import type { HitCursor } from './hit-cursor.ts';
import { copied, Lately, longestKey } from './lately.ts';
import { dayOf, visitorHash } from './visitor-hash.ts';
import type { WordPlaces } from './word-places.ts';

/** What one and the same address, user agent, languages and method always mean, on one day. */
export interface Person {
  /** Their words: another one's may have the same hash. */
  readonly key: string;
  readonly day: number;
  readonly class: number;
  readonly reason: number;
  readonly device: number;
  /** Places of words, as are the next two. */
  readonly country: number;
  readonly os: number;
  readonly browser: number;
  readonly language: string;
  /** `noVisitor` when the day's salt is gone. */
  readonly visitor: number;
}

const mostPeople = 131_072;

/** Who visited lately. Whoever comes again is known by one look at a text, and needs no hash and no network. */
export class People {
  readonly #parts: EnrichParts;
  readonly #words: WordPlaces;
  readonly #lately = new Lately<number, Person>(mostPeople);

  constructor(parts: EnrichParts, words: WordPlaces) {
    this.#parts = parts;
    this.#words = words;
  }

  /** To be called when places of words have lost their meaning. */
  clear(): void {
    this.#lately.clear();
  }

  of(hit: HitCursor): Person {
    const key = hit.person;
    const hash = hit.personHash;
    const day = dayOf(hit.at);
    const known = this.#lately.get(hash, key.length);
    if (known !== undefined && known.day === day && known.key === key) return known;
    const made = this.#meet(hit, copied(key), day);
    if (key.length <= longestKey) this.#lately.set(hash, made, key.length);
    return made;
  }

  #meet(hit: HitCursor, key: string, day: number): Person {
    const parts = this.#parts;
    const words = this.#words;
    const { method, address, userAgent } = hit;
    const agent = parts.knownAgent(userAgent);
    const found = classify({ method, userAgent, purpose: '' }, () => agent.classification);
    return {
      key,
      day,
      class: classPlace(found.class),
      reason: reasonPlace(found.reason),
      device: devicePlace(agent.device),
      country: words.placeOf(parts.countryOf(address)),
      os: words.placeOf(agent.os),
      browser: words.placeOf(agent.browser),
      language: parts.language(hit.acceptLanguage),
      visitor: visitorHash(parts.salts, hit.at, address, userAgent) ?? noVisitor,
    };
  }
}
