import type { Role } from '../rules/access.ts';
import { actionMail, type OrganizationFacts } from './action-mail.ts';
import { dayOf, oneLine, unlinked } from './mail-text.ts';
import type { Mail } from './mailer.ts';

interface InvitationFacts extends OrganizationFacts {
  readonly inviter: { readonly name: string | null; readonly email: string };
  readonly role: Role;
  readonly expiresAt: number;
  readonly url: string;
}

const roleSentences: Readonly<Record<Role, string>> = {
  editor: 'As an editor you make and change its short links.',
  administrator: 'As an administrator you make and change its short links, and say who belongs to it.',
};

export function invitationMail({
  to,
  inviter,
  role,
  expiresAt,
  url,
  origin,
  ...facts
}: InvitationFacts): Mail {
  const organization = oneLine(facts.organization);
  const name = oneLine(inviter.name ?? '');
  const { email } = inviter;
  const full = name === '' ? email : `${unlinked(name)} (${email})`;
  return actionMail({
    to,
    subject: `${name || email} invites you to ${organization}`,
    title: 'An invitation',
    paragraphs: [
      `${full} invites you to ${unlinked(organization)} on ${new URL(origin).host}.`,
      roleSentences[role],
    ],
    action: { label: 'Accept the invitation', url },
    closing: `The link is for ${to} alone and works until ${dayOf(expiresAt)}. If you did not expect it, leave it be: nothing happens without you.`,
  });
}
