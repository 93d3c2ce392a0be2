import type { Status } from '../http/status-text.ts';
import type { RawHit } from '../journal/hit.ts';
import { isPlainUrl } from '../rules/destinations/destination-text.ts';
import {
  isGated,
  type LinkForVisitor,
  type Outcome,
  plainRedirect,
  resolve,
} from '../rules/link-rules/resolve.ts';
import { maxParts, suffixOf } from '../rules/path-suffix.ts';
import { anyForwarding, isSuffix } from '../rules/suffix.ts';
import { type HitTrust, hitOf, quietClick } from './hit.ts';
import { isPerson } from './is-person.ts';
import type { LinkCache } from './link-cache.ts';
import type { MissLimit } from './miss-limit.ts';
import type { NotFoundTally } from './not-found-tally.ts';
import {
  expiredPage,
  notFoundPage,
  notStartedPage,
  type Page,
  refusedPage,
  slowDownPage,
  unavailablePage,
} from './pages.ts';
import type { Visit } from './visit.ts';
import type { VisitCounts } from './visit-counts.ts';
import { LazyVisitor, type VisitorDependencies } from './visitor.ts';

/** Whether the visit's hit is in the journal. The answer is sent only once it is. */
type Stored = 'stored' | 'after_tick' | Promise<void>;

export type VisitAnswer =
  | {
      readonly kind: 'redirect';
      readonly status: Status;
      readonly location: string;
      readonly cookie: string | null;
      readonly stored: Stored;
    }
  | { readonly kind: 'page'; readonly page: Page; readonly stored: Stored }
  /** The link has to be looked up first: call again after that. */
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  /** Only the app server can answer it: gates, click limits, form bodies, answers beyond ASCII, errors of the API. */
  | { readonly kind: 'app_server'; readonly found: FoundLink | null };

/** A link, and the rest of the visited path after its suffix: with its slash, or empty. */
export interface FoundLink {
  readonly link: LinkForVisitor;
  readonly pathAfterSuffix: string;
}

export interface RedirectParts {
  readonly links: LinkCache;
  readonly misses: MissLimit;
  /** Counts the missing addresses that people request. */
  readonly notFound: Pick<NotFoundTally, 'count'>;
  /** Where visits to a host go that match no link; null if its domain has no such URL. */
  readonly fallbackFor: (host: string, method: string, path: string) => string | null;
  readonly now: () => number;
  /** Null records nothing, for the benchmark. */
  readonly record: ((hit: RawHit) => Stored) | null;
  readonly trust: HitTrust;
  readonly visitors: VisitorDependencies;
  readonly counts: VisitCounts;
}

/**
 * Answers a visit: looks the link up, decides, counts misses and records the hit. The fast path and the app server
 * both use this, and differ only in how they read requests and write answers.
 */
export class Redirects {
  readonly #parts: RedirectParts;

  constructor(parts: RedirectParts) {
    this.#parts = parts;
  }

  answer(visit: Visit): VisitAnswer {
    const suffix = suffixOf(visit.path);
    if (suffix === null) return { kind: 'app_server', found: null };
    let link = this.#parts.links.peek(visit.domainId, suffix);
    if (link !== undefined) this.#parts.counts.cacheHit();
    else {
      // For example dot segments: only the app server has the path after URL parsing.
      if (!isSuffix(suffix)) return { kind: 'app_server', found: null };
      const found = this.#parts.links.fetch(visit.domainId, suffix);
      this.#parts.counts.cacheMiss(found instanceof Promise);
      if (found instanceof Promise) return { kind: 'wait', until: found };
      link = found;
    }
    return link === null
      ? this.answerByPrefix(visit, false)
      : this.#answerFor(visit, { link, pathAfterSuffix: '' });
  }

  /** For a path that as a whole is not the suffix of a link. On the app server that is a link or a miss, never `found: null`. */
  answerByPrefix(visit: Visit, isOnAppServer: boolean): VisitAnswer {
    const found = this.#byPrefix(visit);
    if (found instanceof Promise) return { kind: 'wait', until: found };
    if (found !== null) return this.#answerFor(visit, found);
    return !isOnAppServer && versionPath.test(visit.path)
      ? { kind: 'app_server', found: null }
      : this.#miss(visit);
  }

  #answerFor(visit: Visit, found: FoundLink): VisitAnswer {
    const { link } = found;
    const isRead = visit.method === 'GET' || visit.method === 'HEAD';
    if (!isRead || isGated(link) || link.options?.hasUnsafeUrl) return { kind: 'app_server', found };
    const now = this.#parts.now();
    // A link without options doesn't depend on the visitor.
    const visitor = link.options === null ? null : this.visitor(visit, found.pathAfterSuffix);
    const outcome = visitor === null ? plainRedirect(link) : resolve(link, visitor, now);
    switch (outcome.kind) {
      case 'redirect':
        if (this.spendsClick(visit, link)) return { kind: 'app_server', found };
        return this.complete(visit, link, outcome, now);
      case 'not_started':
      case 'expired':
      case 'refused':
        return this.complete(visit, link, outcome, now);
      default:
        return { kind: 'app_server', found };
    }
  }

  /**
   * The link with the longest suffix that is a prefix of the path, among those that forward longer paths. On domains with such
   * links, guesses would query the store for many suffixes: networks with too many misses get no lookup, and only the first
   * segments of a path are tried.
   */
  #byPrefix(visit: Visit): FoundLink | null | Promise<unknown> {
    const { path, domainId } = visit;
    let cut = path.indexOf('/', 1);
    if (cut < 0 || cut === path.length - 1) return null;
    for (let parts = 1; parts < maxParts; parts++) {
      const next = path.indexOf('/', cut + 1);
      if (next < 0 || next === path.length - 1) break;
      cut = next;
    }
    const { misses } = this.#parts;
    const forwarding = this.#find(domainId, anyForwarding);
    if (forwarding === null || forwarding instanceof Promise) return forwarding;
    if (misses.isExceeded(visit.network)) return null;
    for (; cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const suffix = path[cut - 1] === '/' ? null : suffixOf(path.slice(0, cut));
      if (suffix === null || !isSuffix(suffix)) continue;
      const link = this.#find(domainId, suffix);
      if (link instanceof Promise) return link;
      if (link?.options?.forwardPath) return { link, pathAfterSuffix: path.slice(cut) };
    }
    return null;
  }

  #find(domainId: number, suffix: string): LinkForVisitor | null | Promise<LinkForVisitor | null> {
    const { links } = this.#parts;
    const cached = links.peek(domainId, suffix);
    return cached === undefined ? links.fetch(domainId, suffix) : cached;
  }

  visitor(visit: Visit, pathAfterSuffix: string, hasPass?: () => boolean, hasSolved?: boolean): LazyVisitor {
    return new LazyVisitor(visit, this.#parts.visitors, pathAfterSuffix, hasPass, hasSolved);
  }

  /** Whether redirecting this visit uses one of the link's clicks. */
  spendsClick(visit: Visit, { options }: LinkForVisitor): boolean {
    return options !== null && options.clickLimit !== null && isPerson(visit, this.#parts.trust);
  }

  /** Answers a decision, and records its hit. */
  complete(
    visit: Visit,
    link: LinkForVisitor,
    outcome: Extract<Outcome, { kind: 'redirect' | 'not_started' | 'expired' | 'refused' }>,
    at: number,
    cookie: string | null = null,
  ): VisitAnswer {
    if (outcome.kind === 'redirect') {
      const stored = this.#record(visit, link, outcome, at);
      return { kind: 'redirect', status: statusOf(visit, link), location: outcome.to, cookie, stored };
    }
    if (outcome.kind !== 'refused' && outcome.to !== null) {
      const stored = this.#record(visit, link, outcome, at);
      return { kind: 'redirect', status: 302, location: outcome.to, cookie: null, stored };
    }
    return this.page(visit, link, outcome, pageOf(outcome, visit.host, at), at);
  }

  page(visit: Visit, link: LinkForVisitor, outcome: Outcome, page: Page, at: number): VisitAnswer {
    return { kind: 'page', page, stored: this.#record(visit, link, outcome, at) };
  }

  /** Answers a visit to a missing link. */
  #miss(visit: Visit): VisitAnswer {
    const { misses, notFound, fallbackFor, counts } = this.#parts;
    const { host } = visit;
    const fallbackUrl = visit.takesFallback ? fallbackFor(host, visit.method, visit.path) : null;
    // Visiting a domain's root isn't an attempt to guess a link.
    const wait = fallbackUrl !== null && visit.path === '/' ? 0 : misses.count(visit.network);
    counts.answered(wait > 0 ? 'slowed_down' : 'no_link');
    if (wait > 0) return { kind: 'page', page: slowDownPage(host, wait), stored: 'stored' };
    notFound.count(visit);
    return fallbackUrl === null || !isPlainUrl(fallbackUrl)
      ? { kind: 'page', page: notFoundPage(host), stored: 'stored' }
      : { kind: 'redirect', status: 302, location: fallbackUrl, cookie: null, stored: 'stored' };
  }

  /** Answers a visit whose link could not be looked up or decided. */
  unavailable(visit: Visit): Page {
    this.#parts.counts.answered('unavailable');
    return unavailablePage(visit.host);
  }

  #record(visit: Visit, link: LinkForVisitor, outcome: Outcome, at: number): Stored {
    const { record, trust, counts } = this.#parts;
    counts.answered(outcome.kind);
    if (record === null) return 'stored';
    if (link.options === null || !link.options.quiet) return record(hitOf(visit, link, outcome, at, trust));
    // Which visits are clicks is decided here: the fold gets no data of a quiet link's visitor.
    const isClick = outcome.kind === 'redirect' && isPerson(visit, trust);
    return isClick ? record(quietClick(link, at)) : 'stored';
  }
}

function pageOf(
  outcome: Extract<Outcome, { kind: 'not_started' | 'expired' | 'refused' }>,
  host: string,
  at: number,
): Page {
  if (outcome.kind === 'not_started') return notStartedPage(host, outcome.startsAt, at);
  return outcome.kind === 'expired' ? expiredPage(host) : refusedPage(host);
}

/** With 307 and 308 a browser would send the gate's form, password included, to the destination. */
const statusOf = (visit: Visit, { options }: LinkForVisitor): Status =>
  options === null || options.redirectStatus === null || visit.method === 'POST'
    ? 302
    : options.redirectStatus;

/** The beginning of an API call whose base URL lacks `/api`: the app server answers it with an API error. */
const versionPath = /^\/v\d+(?:\/|$)/;
