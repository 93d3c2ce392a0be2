import type { OrganizationFacts } from '../../mail/action-mail.ts';
import type { Mail } from '../../mail/mailer.ts';
import { findOrganization } from '../../storage/accounts/organizations.ts';
import type { Context } from '../context.ts';
import { mailWithinLimits } from './mail-limit.ts';

/** `sent`: to one of them at least. */
export type MailResult = 'sent' | 'not_sent' | 'no_recipient';

/** Mails some of an organization's members. With open registration, an unverified address may belong to a stranger. */
export async function mailMembers(
  context: Context,
  organizationId: number,
  members: readonly { readonly email: string; readonly email_proven: number }[],
  mailWith: (facts: OrganizationFacts) => Mail,
): Promise<MailResult> {
  const { database, config, site } = context;
  const organization = await findOrganization(database.lookup, organizationId);
  const recipients = members.filter(
    ({ email_proven }) => email_proven === 1 || config.registration === 'closed',
  );
  if (!organization || recipients.length === 0) return 'no_recipient';
  const facts = { organization: organization.name, origin: site.origin };
  const sent = await Promise.all(
    recipients.map(({ email }) =>
      mailWithinLimits(context, organizationId, mailWith({ ...facts, to: email }), 'member'),
    ),
  );
  return sent.includes(true) ? 'sent' : 'not_sent';
}
