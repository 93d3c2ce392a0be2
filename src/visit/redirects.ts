import type { RawHit } from '../journal/hit.ts';
import { isPlainUrl } from '../rules/plain-url.ts';
import { isGated, type LinkForVisitor, type Outcome, resolve } from '../rules/resolve.ts';
import { isSuffix } from '../rules/suffix.ts';
import { type HitTrust, hitOf } from './hit.ts';
import type { LinkCache } from './link-cache.ts';
import type { MissLimit } from './miss-limit.ts';
import { expiredPage, notFoundPage, type Page, refusedPage, slowDownPage } from './pages.ts';
import { suffixOf } from './path-suffix.ts';
import type { Visit } from './visit.ts';
import { VisitorOf } from './visitor.ts';

/** Whether the visit's hit is in the journal. An answer is sent only once it is. */
type Stored = 'stored' | 'after_turn' | Promise<void>;

export type VisitAnswer =
  | {
      readonly kind: 'redirect';
      readonly location: string;
      readonly cookie: string | null;
      readonly stored: Stored;
    }
  | { readonly kind: 'page'; readonly page: Page; readonly stored: Stored }
  /** The link has to be looked up first: answer again once that is done. */
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  /** It takes what only the app server has: gates, the body of a form, answers beyond ASCII, the words of the API. */
  | { readonly kind: 'app_server'; readonly link: LinkForVisitor | null };

export interface RedirectParts {
  readonly links: LinkCache;
  readonly misses: MissLimit;
  /** Where the domain of a host sends visits to none of its links, if anywhere. */
  readonly wayOut: (host: string, method: string, path: string) => string | null;
  readonly now: () => number;
  /** Null records nothing: the bench's measure. */
  readonly record: ((hit: RawHit) => Stored) | null;
  readonly trust: HitTrust;
}

/**
 * From a visit to its answer: looks the link up, decides, counts misses and records the hit. The fast path and the app
 * server both ask this, and differ only in how they read requests and write answers.
 */
export class Redirects {
  readonly #parts: RedirectParts;

  constructor(parts: RedirectParts) {
    this.#parts = parts;
  }

  answer(visit: Visit): VisitAnswer {
    const suffix = suffixOf(visit.path);
    if (suffix === null) return { kind: 'app_server', link: null };
    let link = this.#parts.links.peek(visit.domainId, suffix);
    if (link === undefined) {
      // Dot segments, say: only the app server has the path as URL parsing leaves it.
      if (!isSuffix(suffix)) return { kind: 'app_server', link: null };
      const found = this.#parts.links.fetch(visit.domainId, suffix);
      if (found instanceof Promise) return { kind: 'wait', until: found };
      link = found;
    }
    if (link === null) return versionPath.test(visit.path) ? { kind: 'app_server', link } : this.miss(visit);
    const isRead = visit.method === 'GET' || visit.method === 'HEAD';
    if (!isRead || isGated(link) || link.options?.hasUnsafeUrl) return { kind: 'app_server', link };
    const now = this.#parts.now();
    const outcome = resolve(link, new VisitorOf(visit), now);
    switch (outcome.kind) {
      case 'redirect':
      case 'expired':
      case 'refused':
        return this.complete(visit, link, outcome, now);
      default:
        return { kind: 'app_server', link };
    }
  }

  /** The answer to a decision, with its hit recorded. */
  complete(
    visit: Visit,
    link: LinkForVisitor,
    outcome: Extract<Outcome, { kind: 'redirect' | 'expired' | 'refused' }>,
    at: number,
    cookie: string | null = null,
  ): VisitAnswer {
    if (outcome.kind === 'redirect') {
      const stored = this.#record(visit, link, outcome, at);
      return { kind: 'redirect', location: outcome.to, cookie, stored };
    }
    const page = outcome.kind === 'expired' ? expiredPage : refusedPage;
    return this.page(visit, link, outcome, page(visit.host), at);
  }

  page(visit: Visit, link: LinkForVisitor, outcome: Outcome, page: Page, at: number): VisitAnswer {
    return { kind: 'page', page, stored: this.#record(visit, link, outcome, at) };
  }

  /** There is no such link. */
  miss(visit: Visit): VisitAnswer {
    const { misses, wayOut } = this.#parts;
    const { host } = visit;
    const wait = misses.count(visit.network);
    if (wait > 0) return { kind: 'page', page: slowDownPage(host, wait), stored: 'stored' };
    const elsewhere = wayOut(host, visit.method, visit.path);
    return elsewhere === null || !isPlainUrl(elsewhere)
      ? { kind: 'page', page: notFoundPage(host), stored: 'stored' }
      : { kind: 'redirect', location: elsewhere, cookie: null, stored: 'stored' };
  }

  #record(visit: Visit, link: LinkForVisitor, outcome: Outcome, at: number): Stored {
    const { record, trust } = this.#parts;
    return record === null ? 'stored' : record(hitOf(visit, link, outcome, at, trust));
  }
}

/** As a call of the API begins whose base address lacks `/api`: the app server answers it as the API does. */
const versionPath = /^\/v\d+(?:\/|$)/;
