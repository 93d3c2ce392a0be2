import type { Mail, Mailer } from '../mail/mailer.ts';
import type { Context } from './context.ts';
import { mailWithinLimits } from './mail-limit.ts';

interface Recipient {
  readonly email: string;
  readonly email_proven: number;
}

/** With open registration, an unverified address may belong to a stranger. */
export const mailable = ({ config }: Context, members: readonly Recipient[]): readonly Recipient[] =>
  members.filter(({ email_proven }) => email_proven === 1 || config.registration === 'closed');

/** False if no mail was sent to any of them. */
export async function mailEach(
  context: Context,
  mailer: Mailer,
  organizationId: number,
  recipients: readonly Recipient[],
  mailTo: (email: string) => Mail,
): Promise<boolean> {
  const sent = await Promise.all(
    recipients.map(({ email }) => mailWithinLimits(context, mailer, organizationId, mailTo(email))),
  );
  return sent.includes(true);
}
