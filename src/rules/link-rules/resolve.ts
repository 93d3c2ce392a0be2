import { forwardTo, type QueryForwarding, type RedirectStatus } from '../destinations/forwarding.ts';
import { type LinkRules, type MatchedRule, matchRules, type RuleStep } from './link-rules.ts';
import type { Visitor } from './visitor.ts';

/** What the redirect needs to know of a link. Nothing about its owner, and nothing that needs a lookup. */
export interface LinkForVisitor {
  readonly id: number;
  readonly organizationId: number;
  readonly destinationUrl: string;
  /** Null for most links, which send every visitor to their destination: a cache holds them in half the memory. */
  readonly options: LinkOptions | null;
  /** Set if it was found by one of its aliases. */
  readonly ownAddress?: { readonly domainId: number; readonly suffix: string };
  /** The suffix by which it was found, if that is an alias. */
  readonly alias?: string;
}

/** Each is null or false if it isn't set. */
export interface LinkOptions {
  readonly disabled: boolean;
  readonly androidUrl: string | null;
  readonly iosUrl: string | null;
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImage: string | null;
  readonly startsAt: number | null;
  readonly expiresAt: number | null;
  /** Where visitors are sent before the start and after the expiry, instead of seeing a page. */
  readonly beforeStartUrl: string | null;
  readonly expiredUrl: string | null;
  /** Whether it has clicks left; null if it has no limit. */
  readonly clickLimit: 'open' | 'spent' | null;
  readonly rules: LinkRules | null;
  /** Null means `none`. */
  readonly forwardQuery: QueryForwarding | null;
  readonly forwardPath: boolean;
  /** Null means 302. */
  readonly redirectStatus: RedirectStatus | null;
  readonly passwordHash: string | null;
  readonly captcha: boolean;
  readonly botProtection: boolean;
  /** Only the number of its visitors is recorded. */
  readonly quiet: boolean;
  /** One of its destinations can't be written into a header unchanged. Validated destinations are never like that. */
  readonly hasUnsafeUrl: boolean;
}

export type Outcome =
  /** Before its start. Without an address in `to`, visitors see when it starts. */
  | { readonly kind: 'not_started'; readonly startsAt: number; readonly to: string | null }
  /** Past its expiry, without a click left, or disabled. Without an address in `to`, visitors see that it has ended. */
  | { readonly kind: 'expired'; readonly to: string | null }
  | { readonly kind: 'refused' }
  | { readonly kind: 'preview' }
  | { readonly kind: 'ask_password' }
  | { readonly kind: 'ask_captcha' }
  | {
      readonly kind: 'redirect';
      readonly to: string;
      readonly target: Target;
      readonly by: MatchedRule | null;
    };

export const noOptions: LinkOptions = {
  disabled: false,
  androidUrl: null,
  iosUrl: null,
  ogTitle: null,
  ogDescription: null,
  ogImage: null,
  startsAt: null,
  expiresAt: null,
  beforeStartUrl: null,
  expiredUrl: null,
  clickLimit: null,
  rules: null,
  forwardQuery: null,
  forwardPath: false,
  redirectStatus: null,
  passwordHash: null,
  captcha: false,
  botProtection: false,
  quiet: false,
  hasUnsafeUrl: false,
};

const disabled: Outcome = { kind: 'expired', to: null };
const refused: Outcome = { kind: 'refused' };
const preview: Outcome = { kind: 'preview' };
const askPassword: Outcome = { kind: 'ask_password' };
const askCaptcha: Outcome = { kind: 'ask_captcha' };

const hasPreview = ({ ogTitle, ogDescription, ogImage }: LinkOptions): boolean =>
  ogTitle !== null || ogDescription !== null || ogImage !== null;

/** Whether visitors have to give a password or solve a captcha. */
export const isGated = ({ options }: LinkForVisitor): boolean =>
  options !== null && (options.passwordHash !== null || options.captcha);

/** A link without a setting of its own forwards queries as the instance does. */
export const withForwarding = (link: LinkForVisitor, forwardQuery: QueryForwarding): LinkForVisitor =>
  forwardQuery === 'none' || (link.options && link.options.forwardQuery !== null)
    ? link
    : { ...link, options: { ...(link.options ?? noOptions), forwardQuery } };

export type Step =
  | {
      /** The last two come after the rules, if the link has a destination of its own for such devices. */
      readonly check:
        | 'enabled'
        | 'started'
        | 'not_ended'
        | 'clicks_left'
        | 'no_bot'
        | 'password'
        | 'captcha'
        | 'android'
        | 'ios';
      readonly passed: boolean;
    }
  | RuleStep;

/**
 * The whole decision about a hit on a short link. Pure: the same link, visitor and instant always give the same result. `onStep`
 * is called for each step, for explanations.
 */
export function resolve(
  link: LinkForVisitor,
  visitor: Visitor,
  now: number,
  onStep: ((step: Step) => void) | null = null,
): Outcome {
  const { options } = link;
  if (options === null) return plainRedirect(link);
  const stopped = stoppedBy(options, visitor, now, onStep);
  if (stopped !== null) return stopped;
  if (options.rules !== null) {
    const match = matchRules(options.rules, link.organizationId, visitor, now, onStep);
    if (match !== null) return redirectWithForwarding(options, visitor, match.to, 'rule', match.by);
  }
  const { androidUrl, iosUrl } = options;
  if (androidUrl !== null || iosUrl !== null) {
    const device = visitor.device();
    if (androidUrl !== null) onStep?.({ check: 'android', passed: device === 'android' });
    if (device === 'android' && androidUrl !== null)
      return redirectWithForwarding(options, visitor, androidUrl, 'android');
    if (iosUrl !== null) onStep?.({ check: 'ios', passed: device === 'ios' });
    if (device === 'ios' && iosUrl !== null) return redirectWithForwarding(options, visitor, iosUrl, 'ios');
  }
  return redirectWithForwarding(options, visitor, link.destinationUrl, 'default');
}

/** The redirect of every visitor of a link without options. */
export const plainRedirect = ({ destinationUrl }: LinkForVisitor): Outcome =>
  redirectTo(destinationUrl, 'default');

/** A link that has ended, by its date or by its clicks. */
export const ended = (options: LinkOptions | null): Extract<Outcome, { kind: 'expired' }> => ({
  kind: 'expired',
  to: options?.expiredUrl ?? null,
});

/** What stops a visitor before any destination; null if nothing does. */
function stoppedBy(
  options: LinkOptions,
  visitor: Visitor,
  now: number,
  onStep: ((step: Step) => void) | null,
): Outcome | null {
  const { startsAt, expiresAt } = options;
  onStep?.({ check: 'enabled', passed: !options.disabled });
  if (options.disabled) return disabled;
  const isEarly = startsAt !== null && now < startsAt;
  onStep?.({ check: 'started', passed: !isEarly });
  if (isEarly) return { kind: 'not_started', startsAt, to: options.beforeStartUrl };
  const isOver = expiresAt !== null && now >= expiresAt;
  onStep?.({ check: 'not_ended', passed: !isOver });
  if (isOver) return ended(options);
  if (options.clickLimit !== null) {
    const hasClicksLeft = options.clickLimit === 'open';
    onStep?.({ check: 'clicks_left', passed: hasClicksLeft });
    if (!hasClicksLeft) return ended(options);
  }
  if (options.botProtection || hasPreview(options)) {
    const agent = visitor.agent();
    onStep?.({ check: 'no_bot', passed: agent === 'person' || (agent === 'bot' && !options.botProtection) });
    if (agent === 'preview') return preview;
    if (agent === 'bot' && options.botProtection) return refused;
  }
  if (options.passwordHash !== null) {
    const passed = visitor.passedPassword();
    onStep?.({ check: 'password', passed });
    if (!passed) return askPassword;
  }
  if (options.captcha) {
    const passed = visitor.passedCaptcha();
    onStep?.({ check: 'captcha', passed });
    if (!passed) return askCaptcha;
  }
  return null;
}

function redirectWithForwarding(
  options: LinkOptions,
  visitor: Visitor,
  to: string,
  target: Target,
  by: MatchedRule | null = null,
): Outcome {
  const { forwardPath } = options;
  const forwardQuery = options.forwardQuery ?? 'none';
  if (!forwardPath && forwardQuery === 'none') return redirectTo(to, target, by);
  const forwarded = { search: visitor.search(), rest: forwardPath ? visitor.pathAfterSuffix() : '' };
  return redirectTo(forwardTo(to, forwarded, forwardQuery), target, by);
}

export type Target = 'default' | 'android' | 'ios' | 'rule';

const redirectTo = (to: string, target: Target, by: MatchedRule | null = null): Outcome => ({
  kind: 'redirect',
  to,
  target,
  by,
});
