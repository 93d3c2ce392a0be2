/** What the redirect needs to know of a link. Nothing of its owner, nothing it would have to look up. */
export interface LinkForVisitor {
  readonly id: number;
  readonly organizationId: number;
  readonly destinationUrl: string;
  readonly androidUrl: string | null;
  readonly iosUrl: string | null;
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImage: string | null;
  readonly expiresAt: number | null;
  readonly passwordHash: string | null;
  readonly captcha: boolean;
  readonly botProtection: boolean;
  /** Whether all that it may lead to can be written into an answer's head as it is. Stored destinations can. */
  readonly isPlain: boolean;
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

const hasPreview = (link: LinkForVisitor): boolean =>
  link.ogTitle !== null || link.ogDescription !== null || link.ogImage !== null;

/** The whole decision about a hit on a short link. Pure: the same link, visitor and instant always end the same. */
export function resolve(link: LinkForVisitor, visitor: Visitor, now: number): Outcome {
  if (link.expiresAt !== null && now >= link.expiresAt) return expired;
  if (link.botProtection || hasPreview(link)) {
    const agent = visitor.agent();
    if (agent === 'preview') return preview;
    if (agent === 'bot' && link.botProtection) return refused;
  }
  if (link.passwordHash !== null && !visitor.passedPassword()) return askPassword;
  if (link.captcha && !visitor.passedCaptcha()) return askCaptcha;
  return destinationFor(link, visitor);
}

function destinationFor(link: LinkForVisitor, visitor: Visitor): Outcome {
  if (link.androidUrl !== null || link.iosUrl !== null) {
    const device = visitor.device();
    if (device === 'android' && link.androidUrl !== null)
      return { kind: 'redirect', to: link.androidUrl, target: 'android' };
    if (device === 'ios' && link.iosUrl !== null) return { kind: 'redirect', to: link.iosUrl, target: 'ios' };
  }
  return { kind: 'redirect', to: link.destinationUrl, target: 'default' };
}
