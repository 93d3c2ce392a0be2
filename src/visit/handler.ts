import type { RawHit } from '../journal/hit.ts';
import { Refusal } from '../rules/errors.ts';
import { type LinkForVisitor, type Outcome, resolve } from '../rules/resolve.ts';
import { isSuffix } from '../rules/suffix.ts';
import type { ExpressParts } from './express.ts';
import { readForm } from './form.ts';
import type { CaptchaGate } from './gates/captcha.ts';
import type { PasswordGate } from './gates/password.ts';
import * as pages from './pages.ts';
import { suffixOf } from './path-suffix.ts';
import { rawHit } from './raw-hit.ts';
import { RequestVisitor } from './visitor.ts';

/** A request for a short link, taken apart as far as everyone needs. */
export interface Hit {
  readonly request: Request;
  readonly domainId: number;
  /** The domain's name, as pages show it. */
  readonly host: string;
  /** As it was sent: percent-encoded, with its leading slash, without the query. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  readonly address: () => string;
  readonly network: () => string;
  /** The link's public address, for the preview card. */
  readonly publicUrl: (suffix: string) => string;
}

export interface RedirectParts extends Omit<ExpressParts, 'record'> {
  /** Keeps a hit; its answer waits for that, unless it is null. */
  readonly record: ((hit: RawHit) => Promise<void> | null) | null;
  readonly password: PasswordGate;
  readonly captcha: CaptchaGate;
  readonly onFault: (cause: unknown) => void;
}

/** From a hit to its answer. What is cached is answered without waiting for anything. */
export class RedirectHandler {
  readonly #parts: RedirectParts;

  constructor(parts: RedirectParts) {
    this.#parts = parts;
  }

  answer(hit: Hit): Response | Promise<Response> {
    const suffix = suffixOf(hit.path);
    if (suffix === null) return this.#miss(hit);
    const known = this.#parts.links.peek(hit.domainId, suffix);
    return known === undefined ? this.#fetch(hit, suffix) : this.#meet(hit, suffix, known);
  }

  async #fetch(hit: Hit, suffix: string): Promise<Response> {
    let link: LinkForVisitor | null;
    try {
      link = isSuffix(suffix) ? await this.#parts.links.fetch(hit.domainId, suffix) : null;
    } catch (cause) {
      this.#parts.onFault(cause);
      return pages.unavailablePage(hit.host);
    }
    return this.#meet(hit, suffix, link);
  }

  #meet(hit: Hit, suffix: string, link: LinkForVisitor | null): Response | Promise<Response> {
    const { method, headers } = hit.request;
    if (link === null) return this.#miss(hit);
    if (method === 'GET' || method === 'HEAD') {
      return this.#act(hit, suffix, link, this.#decide(link, headers));
    }
    const gated = link.passwordHash !== null || link.captcha;
    if (method === 'POST' && gated) return this.#submit(hit, suffix, link);
    return pages.methodPage(hit.host, gated ? 'GET, HEAD, POST' : 'GET, HEAD');
  }

  #decide(link: LinkForVisitor, headers: Headers, passed = false, solved = false): Outcome {
    const visitor = new RequestVisitor(
      headers,
      () => passed || this.#parts.password.hasPass(link, headers),
      solved,
    );
    return resolve(link, visitor, this.#parts.now());
  }

  #act(
    hit: Hit,
    suffix: string,
    link: LinkForVisitor,
    outcome: Outcome,
    cookie?: string,
  ): Response | Promise<Response> {
    switch (outcome.kind) {
      case 'redirect':
        return this.#recorded(hit, link, outcome, redirectTo(outcome.to, cookie));
      case 'ask_password':
        return this.#recorded(hit, link, outcome, pages.passwordPage(hit.host));
      case 'ask_captcha':
        return this.#askCaptcha(hit, link);
      case 'preview':
        return this.#recorded(hit, link, outcome, pages.previewPage(hit.host, hit.publicUrl(suffix), link));
      case 'refused':
        return this.#recorded(hit, link, outcome, pages.refusedPage(hit.host));
      case 'expired':
        return this.#recorded(hit, link, outcome, pages.expiredPage(hit.host));
      case 'not_found':
        return this.#miss(hit);
    }
  }

  /** The answer leaves once its hit is kept. */
  #recorded(
    hit: Hit,
    link: LinkForVisitor,
    outcome: Exclude<Outcome, { kind: 'not_found' }>,
    answer: Response,
  ): Response | Promise<Response> {
    const { record, now, believesProxies } = this.#parts;
    if (record === null) return answer;
    const kept = record(rawHit(hit, link, outcome, now(), believesProxies));
    return kept === null ? answer : kept.then(() => answer);
  }

  /** A form of one of our pages: a password, or the proof of a captcha. */
  async #submit(hit: Hit, suffix: string, link: LinkForVisitor): Promise<Response> {
    const before = this.#decide(link, hit.request.headers);
    if (before.kind !== 'ask_password' && before.kind !== 'ask_captcha')
      return this.#act(hit, suffix, link, before);
    const form = await readForm(hit.request);
    if (form === null) return pages.badFormPage(hit.host);
    try {
      return before.kind === 'ask_password'
        ? await this.#submitPassword(hit, suffix, link, form.get('password') ?? '')
        : await this.#submitCaptcha(hit, suffix, link, form.get('altcha') ?? '');
    } catch (cause) {
      if (cause instanceof Refusal) {
        const status = cause.code === 'TOO_MANY_ATTEMPTS' ? 429 : 503;
        return pages.passwordPage(hit.host, {
          status,
          sentence: cause.sentence,
          retryAfter: cause.retryAfter ?? 5,
        });
      }
      this.#parts.onFault(cause);
      return pages.unavailablePage(hit.host);
    }
  }

  async #submitPassword(hit: Hit, suffix: string, link: LinkForVisitor, password: string): Promise<Response> {
    const cookie =
      password === ''
        ? null
        : await this.#parts.password.tryPassword(link, password, {
            headers: hit.request.headers,
            network: hit.network(),
            path: hit.path,
          });
    if (cookie === null) {
      const again = { status: 401, sentence: 'That is not the password. Try again.' };
      return this.#recorded(hit, link, { kind: 'ask_password' }, pages.passwordPage(hit.host, again));
    }
    const next = this.#decide(link, hit.request.headers, true);
    // Whatever comes next that is a page is fetched anew, so that a reload doesn't send the password again.
    return next.kind === 'redirect'
      ? this.#act(hit, suffix, link, next, cookie)
      : new Response(null, {
          status: 303,
          headers: { ...uncached, location: hit.path + hit.search, 'set-cookie': cookie },
        });
  }

  async #submitCaptcha(hit: Hit, suffix: string, link: LinkForVisitor, payload: string): Promise<Response> {
    const solved = await this.#parts.captcha.accepts(link, payload);
    if (!solved)
      return this.#askCaptcha(hit, link, 'That check was too old or used before. Here is a new one.');
    return this.#act(hit, suffix, link, this.#decide(link, hit.request.headers, false, true));
  }

  async #askCaptcha(hit: Hit, link: LinkForVisitor, error?: string): Promise<Response> {
    const challenge = await this.#parts.captcha.challenge(link);
    return this.#recorded(hit, link, { kind: 'ask_captcha' }, pages.captchaPage(hit.host, challenge, error));
  }

  #miss(hit: Hit): Response {
    const wait = this.#parts.misses.count(hit.network);
    if (wait > 0) return pages.slowDownPage(hit.host, wait);
    const elsewhere = this.#parts.wayOut(hit.host, hit.request.method, hit.path);
    return elsewhere === null ? pages.notFoundPage(hit.host) : redirectTo(elsewhere, undefined);
  }
}

const uncached = { 'cache-control': 'private, no-store' };

function redirectTo(location: string, cookie: string | undefined): Response {
  return cookie === undefined
    ? new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } })
    : new Response(null, { status: 302, headers: { ...uncached, location, 'set-cookie': cookie } });
}
