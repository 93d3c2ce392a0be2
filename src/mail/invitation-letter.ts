import { escapeHtml } from '../http/html.ts';
import type { Role } from '../rules/access.ts';
import { button, letterPage, small } from './letter-page.ts';
import type { Letter } from './mailer.ts';

export interface InvitationFacts {
  readonly to: string;
  readonly inviter: { readonly name: string | null; readonly email: string };
  readonly organization: string;
  readonly role: Role;
  readonly expiresAt: number;
  readonly url: string;
  /** The address of this service. */
  readonly origin: string;
}

const maxNameLength = 80;

const means: Readonly<Record<Role, string>> = {
  editor: 'As an editor you make and change its short links.',
  administrator: 'As an administrator you make and change its short links, and say who belongs to it.',
};

export function invitationLetter(facts: InvitationFacts): Letter {
  const organization = oneLine(facts.organization);
  const name = oneLine(facts.inviter.name ?? '');
  const { email } = facts.inviter;
  const subject = `${name || email} invites you to ${organization}`;
  const full = name === '' ? email : `${unlinked(name)} (${email})`;
  const opening = `${full} invites you to ${unlinked(organization)} on ${new URL(facts.origin).host}.`;
  const closing = `The link is for ${facts.to} alone and works until ${dayOf(facts.expiresAt)}. If you did not expect it, leave it be: nothing happens without you.`;
  return {
    to: facts.to,
    subject,
    text: [opening, means[facts.role], `Accept the invitation:\n${facts.url}`, closing, ''].join('\n\n'),
    html: letterPage('An invitation', [
      `<p>${escapeHtml(opening)}</p>`,
      `<p>${means[facts.role]}</p>`,
      `<p style="margin:24px 0"><a href="${escapeHtml(facts.url)}" style="${button}">Accept the invitation</a></p>`,
      `<p style="${small}">Or open this address: <br>${escapeHtml(facts.url)}</p>`,
      `<p style="${small}">${escapeHtml(closing)}</p>`,
    ]),
  };
}

/** A name as it may stand in a letter: one line, not endless, without signs that turn the text around. */
function oneLine(name: string): string {
  const line = name
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const signs = [...line];
  return signs.length > maxNameLength ? `${signs.slice(0, maxNameLength - 1).join('')}…` : line;
}

/**
 * The inviting organization chose its name, and mail programs make links of what looks like an address: a sign that nobody
 * sees keeps them from it.
 */
const unlinked = (text: string): string => text.replace(/[.:@/](?=\S)/g, '$&\u200c');

const dayOf = (instant: number): string =>
  new Date(instant).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
