import type { RawHit } from '../journal/hit.ts';
import { isPlainUrl } from '../rules/plain-url.ts';
import { type LinkForVisitor, resolve, type Visitor } from '../rules/resolve.ts';
import { isSuffix } from '../rules/suffix.ts';
import { deviceOf } from '../rules/visitor-kind.ts';
import { TwoGenerationCache } from '../structures/bounded-cache.ts';
import type { PlainRequest } from './connection/plain-request.ts';
import type { ExpressAnswer } from './connection/wire-answer.ts';
import { knownAgentKind } from './known-agents.ts';
import type { LinkCache } from './link-cache.ts';
import type { MissLimit } from './miss-limit.ts';
import { type OnWire, onWire } from './on-wire.ts';
import { notFoundPage, slowDownPage } from './pages.ts';
import { suffixOf } from './path-suffix.ts';

export interface ExpressParts {
  readonly links: LinkCache;
  readonly misses: MissLimit;
  /** Who shares this with an address is one party for that limit. */
  readonly networkOf: (address: string) => string;
  /** Where the domain of a host sends those who come for none of its links, if anywhere. */
  readonly wayOut: (host: string, method: string, path: string) => string | null;
  readonly now: () => number;
  /** True when the hit is on file; else its answer waits for this turn's end. Null records nothing: the bench's measure. */
  readonly record: ((hit: RawHit) => boolean) | null;
  readonly believesProxies: boolean;
}

const maxPages = 1_000;

/**
 * The short way for what nearly every visit is: a link that is known, without a password or captcha, and a visitor who
 * is sent on; or no link at all. It decides and records exactly as `RedirectHandler` does, and leaves to it what has
 * any other page.
 */
export class ExpressRedirects {
  readonly #parts: ExpressParts;
  /** Pages for who finds nothing, by host, and by the wait for who looked too often. */
  readonly #pages = new TwoGenerationCache<OnWire | 'not plain'>(maxPages);

  constructor(parts: ExpressParts) {
    this.#parts = parts;
  }

  /** Null where `RedirectHandler` is to answer; a promise where the link has to be looked up first. */
  answer(
    domainId: number,
    host: string,
    visit: PlainRequest,
    address: string,
  ): ExpressAnswer | Promise<unknown> | null {
    const suffix = suffixOf(visit.path);
    if (suffix === null) return null;
    let link = this.#parts.links.peek(domainId, suffix);
    if (link === undefined) {
      if (!isSuffix(suffix)) return null;
      const found = this.#parts.links.fetch(domainId, suffix);
      if (found instanceof Promise) return found;
      link = found;
    }
    if (link === null) return this.#miss(host, visit, address);
    if (link.passwordHash !== null || link.captcha || !link.isPlain) return null;
    const now = this.#parts.now();
    const outcome = resolve(link, new PlainVisitor(visit), now);
    if (outcome.kind !== 'redirect') return null;
    const { record } = this.#parts;
    const isKept = record === null || record(this.#hit(visit, link, outcome.target, address, now));
    return redirectTo(outcome.to, !isKept);
  }

  /** Counted as the handler counts it, and together with it. */
  #miss(host: string, visit: PlainRequest, address: string): ExpressAnswer | Promise<unknown> | null {
    if (versionPath.test(visit.path)) return null;
    const { misses, networkOf, wayOut } = this.#parts;
    const network = () => networkOf(address);
    if (misses.isOver(network)) {
      const wait = misses.secondsLeft();
      return this.#page(`${host} ${wait}`, visit, network, () =>
        onWire(slowDownPage(host, wait), 'Too Many Requests'),
      );
    }
    const elsewhere = wayOut(host, visit.method, visit.path);
    if (elsewhere === null) {
      return this.#page(host, visit, network, () => onWire(notFoundPage(host), 'Not Found'));
    }
    if (!isPlainUrl(elsewhere)) return null;
    misses.count(network);
    return redirectTo(elsewhere, false);
  }

  /** A promise where the page has to be prepared first: the visit is counted when it comes back. */
  #page(
    key: string,
    visit: PlainRequest,
    network: () => string,
    prepare: () => Promise<OnWire | null>,
  ): ExpressAnswer | Promise<unknown> | null {
    const page = this.#pages.get(key);
    if (page === undefined) return prepare().then((made) => this.#pages.set(key, made ?? 'not plain'));
    if (page === 'not plain') return null;
    this.#parts.misses.count(network);
    return { head: page.head, body: visit.method === 'HEAD' ? '' : page.body, waits: false };
  }

  #hit(
    visit: PlainRequest,
    link: LinkForVisitor,
    target: RawHit['target'],
    address: string,
    at: number,
  ): RawHit {
    return {
      linkId: link.id,
      organizationId: link.organizationId,
      at,
      outcome: 'redirect',
      target,
      method: visit.method,
      address,
      userAgent: visit.userAgent ?? '',
      acceptLanguage: visit.acceptLanguage,
      referer: visit.referer,
      query: visit.search,
      purpose: visit.purpose,
      doNotTrack: visit.doNotTrack,
      countryHint: this.#parts.believesProxies && visit.countryHint.length === 2 ? visit.countryHint : '',
    };
  }
}

/** As a call of the API begins whose base address lacks `/api`: the server behind says what is meant. */
const versionPath = /^\/v\d+(?:\/|$)/;

const redirectTo = (location: string, waits: boolean): ExpressAnswer => ({
  head: `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nCache-Control: private, no-store\r\nContent-Length: 0\r\n`,
  body: '',
  waits,
});

class PlainVisitor implements Visitor {
  readonly #visit: PlainRequest;

  constructor(visit: PlainRequest) {
    this.#visit = visit;
  }

  agent() {
    return knownAgentKind(this.#visit.userAgent);
  }

  device() {
    return deviceOf(this.#visit.userAgent, this.#visit.platformHint);
  }

  passedPassword(): boolean {
    return false;
  }

  passedCaptcha(): boolean {
    return false;
  }
}
