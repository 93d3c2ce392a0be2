import type { Limit } from '../auth/rate-limit.ts';
import type { Letter, Mailer } from '../mail/mailer.ts';
import { Refusal } from '../rules/errors.ts';
import type { Context } from './context.ts';

const hour = 60 * 60 * 1000;

/** Whoever may invite may have us write to strangers: not often to the same one, and not to many. */
const limits = (address: string, organizationId: number): readonly Limit[] => [
  { key: `mail|to|${address}`, most: 5, window: 24 * hour },
  { key: `mail|organization|${organizationId}`, most: 50, window: hour },
];

/** False when the letter didn't go out, for whatever reason. */
export async function mailWithinLimits(
  context: Pick<Context, 'limits'>,
  mailer: Mailer,
  organizationId: number,
  letter: Letter,
): Promise<boolean> {
  try {
    await context.limits.reserve(limits(letter.to, organizationId));
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'TOO_MANY_ATTEMPTS') {
      mailer.heldBack(`limit of organization ${organizationId} or of the address`);
      return false;
    }
    throw cause;
  }
  return mailer.send(letter);
}
