/** What the redirect needs to know of a link. Nothing of its owner, nothing it would have to look up. */
export interface LinkForVisitor {
  readonly id: number;
  readonly organizationId: number;
  readonly destinationUrl: string;
  /** Null for most links, which lead every visitor to their destination: a cache holds them in half the memory. */
  readonly options: LinkOptions | null;
}

/** Each is null or false where it isn't set. */
export interface LinkOptions {
  readonly androidUrl: string | null;
  readonly iosUrl: string | null;
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImage: string | null;
  readonly expiresAt: number | null;
  readonly passwordHash: string | null;
  readonly captcha: boolean;
  readonly botProtection: boolean;
  /** One of its destinations can't be written into a header as it is. No destination that was checked is like that. */
  readonly hasUnsafeUrl: boolean;
}

export type AgentKind = 'person' | 'bot' | 'preview';
export type Device = 'android' | 'ios' | 'other';

/** Asked only as far as the decision needs it: most links never look at the agent or the device. */
export interface Visitor {
  agent(): AgentKind;
  device(): Device;
  passedPassword(): boolean;
  passedCaptcha(): boolean;
}

export type Outcome =
  | { readonly kind: 'expired' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'preview' }
  | { readonly kind: 'ask_password' }
  | { readonly kind: 'ask_captcha' }
  | { readonly kind: 'redirect'; readonly to: string; readonly target: 'default' | 'android' | 'ios' };

const expired: Outcome = { kind: 'expired' };
const refused: Outcome = { kind: 'refused' };
const preview: Outcome = { kind: 'preview' };
const askPassword: Outcome = { kind: 'ask_password' };
const askCaptcha: Outcome = { kind: 'ask_captcha' };

const hasPreview = ({ ogTitle, ogDescription, ogImage }: LinkOptions): boolean =>
  ogTitle !== null || ogDescription !== null || ogImage !== null;

/** Whether visitors have to give a password or solve a captcha. */
export const isGated = ({ options }: LinkForVisitor): boolean =>
  options !== null && (options.passwordHash !== null || options.captcha);

/** The whole decision about a hit on a short link. Pure: the same link, visitor and instant always end the same. */
export function resolve(link: LinkForVisitor, visitor: Visitor, now: number): Outcome {
  const { options } = link;
  if (options === null) return redirectTo(link.destinationUrl, 'default');
  if (options.expiresAt !== null && now >= options.expiresAt) return expired;
  if (options.botProtection || hasPreview(options)) {
    const agent = visitor.agent();
    if (agent === 'preview') return preview;
    if (agent === 'bot' && options.botProtection) return refused;
  }
  if (options.passwordHash !== null && !visitor.passedPassword()) return askPassword;
  if (options.captcha && !visitor.passedCaptcha()) return askCaptcha;
  const { androidUrl, iosUrl } = options;
  if (androidUrl !== null || iosUrl !== null) {
    const device = visitor.device();
    if (device === 'android' && androidUrl !== null) return redirectTo(androidUrl, 'android');
    if (device === 'ios' && iosUrl !== null) return redirectTo(iosUrl, 'ios');
  }
  return redirectTo(link.destinationUrl, 'default');
}

const redirectTo = (to: string, target: 'default' | 'android' | 'ios'): Outcome => ({
  kind: 'redirect',
  to,
  target,
});
