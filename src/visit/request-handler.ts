import { forwardTo } from '../rules/destinations/forwarding.ts';
import { Refusal } from '../rules/errors.ts';
import { ended, isGated, type LinkForVisitor, type Outcome, resolve } from '../rules/link-rules/resolve.ts';
import { isCutOff, passField, readForm, refererInForm } from './form.ts';
import type { CaptchaGate } from './gates/captcha.ts';
import type { ClickLimitGate } from './gates/click-limit.ts';
import type { PasswordGate } from './gates/password.ts';
import * as pages from './pages.ts';
import type { FoundLink, Redirects, VisitAnswer } from './redirects.ts';
import type { RequestVisit } from './request-visit.ts';
import { pageResponse, redirectResponse, toResponse } from './response.ts';
import type { Visit } from './visit.ts';

interface RequestHandlerParts {
  readonly redirects: Redirects;
  readonly password: PasswordGate;
  readonly captcha: CaptchaGate;
  readonly clickLimit: ClickLimitGate;
  readonly now: () => number;
  /** The public address of the link that is visited, for its preview card. */
  readonly publicUrl: (visit: Visit) => string;
  readonly onFault: (cause: unknown) => void;
}

type Redirect = Extract<Outcome, { kind: 'redirect' }>;

/**
 * Answers visits on the app server. It adds what the fast path leaves to it: passwords, captchas, click limits and preview
 * cards.
 */
export class RequestHandler {
  readonly #parts: RequestHandlerParts;

  constructor(parts: RequestHandlerParts) {
    this.#parts = parts;
  }

  answer(visit: RequestVisit): Response | Promise<Response> {
    return this.#respond(visit, this.#parts.redirects.answer(visit));
  }

  #respond(visit: RequestVisit, answer: VisitAnswer): Response | Promise<Response> {
    switch (answer.kind) {
      case 'wait':
        return this.#answerAfter(visit, answer.until);
      case 'app_server':
        return answer.found === null
          ? this.#respond(visit, this.#parts.redirects.answerByPrefix(visit, true))
          : this.#answerFound(visit, answer.found);
      default:
        return toResponse(answer);
    }
  }

  async #answerAfter(visit: RequestVisit, until: Promise<unknown>): Promise<Response> {
    try {
      await until;
    } catch (cause) {
      this.#parts.onFault(cause);
      return pageResponse(this.#parts.redirects.unavailable(visit));
    }
    return this.answer(visit);
  }

  #answerFound(visit: RequestVisit, found: FoundLink): Response | Promise<Response> {
    const { method } = visit;
    if (method === 'GET' || method === 'HEAD')
      return this.#answerOutcome(visit, found.link, this.#decide(visit, found));
    const takesForm = isGated(found.link);
    if (method === 'POST') {
      const answer = takesForm ? this.#submit(visit, found) : this.#submitLate(visit, found);
      return answer.catch((cause) => {
        if (!isCutOff(cause)) throw cause;
        return pageResponse(pages.badFormPage(visit.host));
      });
    }
    return pageResponse(pages.methodPage(visit.host, takesForm ? 'GET, HEAD, POST' : 'GET, HEAD'));
  }

  #decide(
    visit: RequestVisit,
    { link, pathAfterSuffix }: FoundLink,
    passInForm: string | null = null,
    hasSolved = false,
  ): Outcome {
    const hasPass = () => this.#parts.password.hasPass(link, visit.headers, passInForm);
    return resolve(
      link,
      this.#parts.redirects.visitor(visit, pathAfterSuffix, hasPass, hasSolved),
      this.#parts.now(),
    );
  }

  #answerOutcome(
    visit: RequestVisit,
    link: LinkForVisitor,
    outcome: Outcome,
    cookie: string | null = null,
  ): Response | Promise<Response> {
    const { redirects, now } = this.#parts;
    switch (outcome.kind) {
      case 'ask_password':
        return this.#page(visit, link, outcome, pages.passwordPage(visit.host, visit.referer));
      case 'ask_captcha':
        return this.#askCaptcha(visit, link, null);
      case 'preview': {
        const page = pages.previewPage(visit.host, this.#cardUrl(visit, link), link);
        return this.#page(visit, link, outcome, page);
      }
      case 'redirect':
        if (redirects.spendsClick(visit, link)) return this.#spendClick(visit, link, outcome, cookie);
    }
    return this.#respond(visit, redirects.complete(visit, link, outcome, now(), cookie));
  }

  /** For a preview card: with the parameters that the link forwards, as some apps share this address instead of the visited one. */
  #cardUrl(visit: RequestVisit, { options }: LinkForVisitor): string {
    const forwarded = { search: visit.search, rest: '' };
    return forwardTo(this.#parts.publicUrl(visit), forwarded, options?.forwardQuery ?? 'none');
  }

  /** Other visits may have taken the last click since the link was looked up. */
  async #spendClick(
    visit: RequestVisit,
    link: LinkForVisitor,
    outcome: Redirect,
    cookie: string | null,
  ): Promise<Response> {
    const { redirects, clickLimit, now, onFault } = this.#parts;
    try {
      const isAdmitted = await clickLimit.admits(visit, link.id);
      const finalOutcome = isAdmitted ? outcome : ended(link.options);
      return await this.#respond(visit, redirects.complete(visit, link, finalOutcome, now(), cookie));
    } catch (cause) {
      onFault(cause);
      return pageResponse(this.#parts.redirects.unavailable(visit));
    }
  }

  #page(
    visit: RequestVisit,
    link: LinkForVisitor,
    outcome: Outcome,
    page: pages.Page,
  ): Response | Promise<Response> {
    const { redirects, now } = this.#parts;
    return this.#respond(visit, redirects.page(visit, link, outcome, page, now()));
  }

  /** Handles a form of one of our pages: a password, or the proof of a captcha. */
  async #submit(visit: RequestVisit, found: FoundLink): Promise<Response> {
    const { link } = found;
    const form = await readForm(visit.request);
    // Before the decision: rules may ask for the referrer.
    if (form !== null) visit.setRefererInForm(refererInForm(form));
    const pass = form?.get(passField) ?? null;
    const before = this.#decide(visit, found, pass);
    if (before.kind !== 'ask_password' && before.kind !== 'ask_captcha')
      return this.#answerOutcome(visit, link, before);
    if (form === null) return pageResponse(pages.badFormPage(visit.host));
    const [asked, other] = before.kind === 'ask_password' ? ['password', 'altcha'] : ['altcha', 'password'];
    // Sent from a page that was loaded before the pass was set or expired, or before the link was changed.
    if (!form.has(asked) && form.has(other)) return this.#answerOutcome(visit, link, before);
    try {
      return before.kind === 'ask_password'
        ? await this.#submitPassword(visit, found, form.get('password') ?? '')
        : await this.#submitCaptcha(visit, found, form.get('altcha') ?? '', pass);
    } catch (cause) {
      if (cause instanceof Refusal) {
        const status = cause.code === 'TOO_MANY_ATTEMPTS' ? 429 : 503;
        const retryAfter = cause.retryAfter ?? 5;
        return pageResponse(
          pages.passwordPage(visit.host, visit.referer, { status, sentence: cause.sentence, retryAfter }),
        );
      }
      this.#parts.onFault(cause);
      return pageResponse(this.#parts.redirects.unavailable(visit));
    }
  }

  /** Handles a form of a page that was loaded before the link's password or captcha was removed. */
  async #submitLate(visit: RequestVisit, found: FoundLink): Promise<Response> {
    const form = await readForm(visit.request);
    if (!form?.has('password') && !form?.has('altcha'))
      return pageResponse(pages.methodPage(visit.host, 'GET, HEAD'));
    visit.setRefererInForm(refererInForm(form));
    return this.#answerOutcome(visit, found.link, this.#decide(visit, found));
  }

  async #submitPassword(visit: RequestVisit, found: FoundLink, password: string): Promise<Response> {
    const { link, pathAfterSuffix } = found;
    const { headers, network } = visit;
    // The rest of the path is the visitor's: a semicolon in it would end the cookie's path and add attributes.
    const path = visit.path.slice(0, visit.path.length - pathAfterSuffix.length);
    const attempt = { headers, network, path };
    const admission =
      password === '' ? null : await this.#parts.password.tryPassword(link, password, attempt);
    if (admission === null) {
      const again = 'That is not the password. Try again.';
      const page = pages.passwordPage(visit.host, visit.referer, { status: 401, sentence: again });
      return this.#page(visit, link, { kind: 'ask_password' }, page);
    }
    const { pass, cookie } = admission;
    const next = this.#decide(visit, found, pass);
    // Answering with 303 would keep a reload from sending the password again, but the next page would lose the Referer, and the pass
    // too if the browser takes no cookies.
    if (next.kind === 'ask_captcha') {
      const response = await this.#askCaptcha(visit, link, pass);
      response.headers.append('set-cookie', cookie);
      return response;
    }
    return next.kind === 'redirect'
      ? this.#answerOutcome(visit, link, next, cookie)
      : redirectResponse(303, visit.path + visit.search, cookie);
  }

  async #submitCaptcha(
    visit: RequestVisit,
    found: FoundLink,
    payload: string,
    pass: string | null,
  ): Promise<Response> {
    const { link } = found;
    const hasSolved = await this.#parts.captcha.accepts(link, payload);
    if (!hasSolved)
      return this.#askCaptcha(visit, link, pass, 'That check was too old or used before. Here is a new one.');
    return this.#answerOutcome(visit, link, this.#decide(visit, found, pass, true));
  }

  async #askCaptcha(
    visit: RequestVisit,
    link: LinkForVisitor,
    pass: string | null,
    error?: string,
  ): Promise<Response> {
    const challenge = await this.#parts.captcha.challenge(link);
    const page = pages.captchaPage(visit.host, { challenge, referer: visit.referer, pass, error });
    return this.#page(visit, link, { kind: 'ask_captcha' }, page);
  }
}
