import { type Limit, networkLimits } from '../../auth/rate-limit.ts';
import type { Mail } from '../../mail/mailer.ts';
import { dayLength, hourLength } from '../../rules/durations.ts';
import { Refusal } from '../../rules/errors.ts';
import type { Context } from '../context.ts';

/** Administrators can have mail sent to strangers: not often to the same address, and not to many. */
const toAddress = (address: string): Limit => ({
  key: `mail|to|${address}`,
  max: 5,
  window: dayLength,
});
/** Invitations of other organizations don't use up what a member gets from their own. */
const toMember = (organizationId: number, address: string): Limit => ({
  key: `mail|member|${organizationId}|${address}`,
  max: 5,
  window: dayLength,
});
const ofOrganization = (id: number): Limit => ({
  key: `mail|organization|${id}`,
  max: 50,
  window: hourLength,
});

/**
 * Anyone can request a mail to any account. One network has a smaller limit than all together, and a browser or network that has
 * signed in there before (`known`) has its own, so that others can't use up the owner's. Invitations have another limit, which
 * these mails don't use up.
 */
export const resetMailLimits = (address: string, network: string, known: string | null): readonly Limit[] =>
  known === null
    ? [
        ...networkLimits(`mail|reset|${address}`, network, { narrow: 5, middle: 5, wide: 8 }, dayLength),
        { key: `mail|reset|${address}`, max: 10, window: dayLength },
      ]
    : [{ key: `mail|reset|${address}|${known}`, max: 3, window: dayLength }];

/** Resolves to a function that uncounts the attempt, or to null if a limit is reached. */
export async function withinLimits(
  limits: Context['limits'],
  applicableLimits: readonly Limit[],
): Promise<(() => Promise<void>) | null> {
  try {
    return await limits.reserve(applicableLimits);
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
    return null;
  }
}

/** False if the mail wasn't sent, for any reason. */
export async function mailWithinLimits(
  { limits, mailer }: Pick<Context, 'limits' | 'mailer'>,
  organizationId: number,
  mail: Mail,
  recipient: 'anyone' | 'member',
): Promise<boolean> {
  if (mailer === null) return false;
  const ofRecipient = recipient === 'member' ? toMember(organizationId, mail.to) : toAddress(mail.to);
  const withdraw = await withinLimits(limits, [ofOrganization(organizationId), ofRecipient]);
  if (!withdraw) {
    mailer.logUnsent(`too many mails of organization ${organizationId}, or to one address`);
    return false;
  }
  const isSent = await mailer.send(mail);
  // No mail was sent: the user must be able to retry once the mail server works.
  if (!isSent) await withdraw();
  return isSent;
}
