import { type Limit, networkLimits } from '../auth/rate-limit.ts';
import type { Mail, Mailer } from '../mail/mailer.ts';
import { Refusal } from '../rules/errors.ts';
import type { Context } from './context.ts';

const hour = 60 * 60 * 1000;

/** Administrators can have us write to strangers: not often to the same one, and not to many. */
const toAddress = (address: string): Limit => ({ key: `mail|to|${address}`, max: 5, window: 24 * hour });
const ofOrganization = (id: number): Limit => ({ key: `mail|organization|${id}`, max: 50, window: hour });

/**
 * Anyone can have us write to any account. From one network not as often as from all, and from a browser or
 * network that signed in there before (`known`) apart from all others, so that others can't use up the owner's budget;
 * and apart from invitations, which must not be used up by it.
 */
export const resetMailLimits = (address: string, network: string, known: string | null): readonly Limit[] =>
  known === null
    ? [
        ...networkLimits(`mail|reset|${address}`, network, { narrow: 5, middle: 5, wide: 8 }, 24 * hour),
        { key: `mail|reset|${address}`, max: 10, window: 24 * hour },
      ]
    : [{ key: `mail|reset|${address}|${known}`, max: 3, window: 24 * hour }];

/** What takes the attempt back; null when a limit is reached. */
export async function withinLimits(
  limits: Context['limits'],
  wanted: readonly Limit[],
): Promise<(() => Promise<void>) | null> {
  try {
    return await limits.reserve(wanted);
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
    return null;
  }
}

/** False when the mail wasn't sent, for any reason. */
export async function mailWithinLimits(
  { limits }: Pick<Context, 'limits'>,
  mailer: Mailer,
  organizationId: number,
  mail: Mail,
): Promise<boolean> {
  const isLetOut = await withinLimits(limits, [ofOrganization(organizationId)]);
  const forgive = isLetOut && (await withinLimits(limits, [toAddress(mail.to)]));
  if (!forgive) {
    mailer.heldBack(`too many mails of organization ${organizationId}, or to one address`);
    return false;
  }
  const isSent = await mailer.send(mail);
  // No mail was sent: the user must be able to try again once the mail server works.
  if (!isSent) await forgive();
  return isSent;
}
