import { classify } from '../rules/click-class.ts';
import { classCodes, deviceCodes, reasonCodes } from '../rules/click-fields.ts';
import { ByteCache } from '../structures/byte-cache.ts';
import type { EnrichParts } from './enrich.ts';
import { noVisitor } from './fold-store.ts';
import type { HitCursor } from './hit-cursor.ts';
import { visitorHash } from './visitor-hash.ts';
import type { WordIds } from './word-ids.ts';

/** What the same address, user agent, languages and method always give, on one day. */
interface KnownVisitor {
  readonly day: number;
  readonly class: number;
  readonly reason: number;
  readonly device: number;
  /** An index of a word, as are the next three. */
  readonly country: number;
  readonly os: number;
  readonly browser: number;
  /** At most three letters: made-up ones are few enough to become words before they are limited. */
  readonly language: number;
  /** `noVisitor` when the day's salt is gone. */
  readonly visitor: number;
}

const maxVisitors = 131_072;

/** Recent visitors. Repeat visitors are recognised by their raw bytes, which saves an HMAC and a network lookup. */
export class VisitorCache {
  readonly #parts: EnrichParts;
  readonly #words: WordIds;
  readonly #recent = new ByteCache<KnownVisitor>(maxVisitors);
  #last: KnownVisitor | null = null;

  constructor(parts: EnrichParts, words: WordIds) {
    this.#parts = parts;
    this.#words = words;
  }

  /** Must be called when indexes of words have lost their meaning. */
  clear(): void {
    this.#recent.clear();
    this.#last = null;
  }

  of(hit: HitCursor, day: number): KnownVisitor {
    const last = this.#last;
    // Consecutive hits often come from the same visitor.
    if (hit.isSameVisitor && last !== null && last.day === day) return last;
    this.#last = this.#find(hit, day);
    return this.#last;
  }

  #find(hit: HitCursor, day: number): KnownVisitor {
    const known = hit.knownVisitor(this.#recent);
    if (known !== undefined && known.day === day) return known;
    const made = this.#make(hit, day);
    hit.keepVisitor(this.#recent, made);
    return made;
  }

  #make(hit: HitCursor, day: number): KnownVisitor {
    const parts = this.#parts;
    const words = this.#words;
    const { method, address, userAgent } = hit;
    const agent = parts.knownAgent(userAgent);
    const found = classify({ method, userAgent, purpose: '' }, () => agent.classification);
    return {
      day,
      class: classCodes[found.class],
      reason: reasonCodes[found.reason],
      device: deviceCodes[agent.device],
      country: words.indexOf(parts.countryOf(address)),
      os: words.indexOf(agent.os),
      browser: words.indexOf(agent.browser),
      language: words.indexOf(parts.language(hit.acceptLanguage)),
      visitor: visitorHash(parts.salts, hit.at, address, userAgent) ?? noVisitor,
    };
  }
}
