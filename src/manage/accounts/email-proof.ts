import { Refusal } from '../../rules/errors.ts';
import type { Membership } from '../../storage/accounts/members.ts';
import type { Context } from '../context.ts';

type User = Pick<Membership, 'email' | 'email_proven'>;

/**
 * Whether an account has an address that may be somebody else's: where anyone can sign up, or invitations are mailed, an account
 * can be created with any address. Its owner has the links of the invitations.
 */
export const lacksEmailProof = ({ mailer, config }: Context, { email_proven }: User): boolean =>
  email_proven === 0 && (mailer !== null || config.registration === 'open');

export function requireEmailProof(context: Context, user: User): void {
  if (!lacksEmailProof(context, user)) return;
  const link =
    context.mailer === null
      ? 'the link of the invitation'
      : `the link in the mail that was sent to ${user.email}`;
  throw new Refusal(
    'EMAIL_UNPROVEN',
    `This account has not proven that its address is yours. To accept an invitation to it, open ${link}.`,
  );
}
