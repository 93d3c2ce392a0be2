import { classify } from '../rules/click-class.ts';
import { noVisitor } from '../storage/fold-store.ts';
import { classPlace, devicePlace, reasonPlace } from './codes.ts';
import type { EnrichParts } from './enrich.ts';
import type { HitCursor, KnownPiece } from './hit-cursor.ts';
import { Lately, longestKey } from './lately.ts';
import { dayOf, visitorHash } from './visitor-hash.ts';
import type { WordPlaces } from './word-places.ts';

/** What one and the same address, user agent, languages and method always mean, on one day. */
export interface Person extends KnownPiece {
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
  #last: Person | null = null;

  constructor(parts: EnrichParts, words: WordPlaces) {
    this.#parts = parts;
    this.#words = words;
  }

  /** To be called when places of words have lost their meaning. */
  clear(): void {
    this.#lately.clear();
    this.#last = null;
  }

  of(hit: HitCursor): Person {
    const day = dayOf(hit.at);
    const last = this.#last;
    // Of hits that follow one another many are by one and the same.
    if (hit.isExpected && last !== null && last === hit.expected && last.day === day) return last;
    this.#last = this.#find(hit, day);
    hit.expected = this.#last;
    return this.#last;
  }

  #find(hit: HitCursor, day: number): Person {
    const size = hit.personSize;
    const hash = hit.personHash;
    const known = this.#lately.get(hash, size);
    if (known !== undefined && known.day === day && hit.isPerson(known.key)) return known;
    const made = this.#meet(hit, day);
    if (size <= longestKey) this.#lately.set(hash, made, size);
    return made;
  }

  #meet(hit: HitCursor, day: number): Person {
    const parts = this.#parts;
    const words = this.#words;
    const { method, address, userAgent } = hit;
    const agent = parts.knownAgent(userAgent);
    const found = classify({ method, userAgent, purpose: '' }, () => agent.classification);
    return {
      key: hit.person,
      lines: hit.personLines,
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
