import type { Limit } from '../auth/rate-limit.ts';
import type { Letter, Mailer } from '../mail/mailer.ts';
import { Refusal } from '../rules/errors.ts';
import type { Context } from './context.ts';

const hour = 60 * 60 * 1000;

/** Whoever may invite may have us write to strangers: not often to the same one, and not to many. */
const toAddress = (address: string): Limit => ({ key: `mail|to|${address}`, most: 5, window: 24 * hour });
const ofOrganization = (id: number): Limit => ({ key: `mail|organization|${id}`, most: 50, window: hour });

/** False when the letter didn't go out, for whatever reason. */
export async function mailWithinLimits(
  { limits }: Pick<Context, 'limits'>,
  mailer: Mailer,
  organizationId: number,
  letter: Letter,
): Promise<boolean> {
  try {
    await limits.reserve([ofOrganization(organizationId)]);
    const forgive = await limits.reserve([toAddress(letter.to)]);
    const isSent = await mailer.send(letter);
    // Nobody was written to: when the mail server is well again, there must be another try.
    if (!isSent) await forgive();
    return isSent;
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
    mailer.heldBack(`too many mails of organization ${organizationId}, or to one address`);
    return false;
  }
}
