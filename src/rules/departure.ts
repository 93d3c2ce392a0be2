import type { Role } from './access.ts';

interface Things {
  readonly links: number;
  readonly tags: number;
  readonly domains: number;
}

/** What a user would leave behind in their organization. */
interface Belonging extends Things {
  readonly organization: string;
  readonly role: Role;
  /** Including themselves. */
  readonly members: number;
  readonly administrators: number;
}

/** Null if they may leave for another organization; otherwise why not, and what to do. */
export function leavingProblem(belonging: Belonging): string | null {
  const { organization, role, members, administrators } = belonging;
  // What an editor made belongs to the organization, and others look after it.
  if (role === 'editor') return null;
  if (members > 1) {
    return administrators > 1
      ? `You administer "${organization}", and would leave it. Make yourself an editor there first, then accept again.`
      : `You are the only administrator of "${organization}", which has ${count(members - 1, 'other member')}. Make one of them administrator and yourself an editor, then accept again.`;
  }
  const things = thingsOf(belonging);
  if (things === '') return null;
  return `"${organization}" has ${things}, and nobody else would look after them. Delete them, or invite somebody who takes "${organization}" over; then accept again.`;
}

/** Why the account of the last administrator can't be deleted, and what to do. */
export const lastAdministratorProblem = (organization: string, members: number): string =>
  `You are the only administrator of "${organization}", which has ${count(members - 1, 'other member')}. Make one of them administrator, then delete your account.`;

/** What is deleted with the account of an organization's only member. */
export function organizationDeletionNotice(organization: string, things: Things): string {
  const named = thingsOf(things);
  const having = named === '' ? '' : ` with its ${named}`;
  return `You are alone in "${organization}", so it goes${having}, its clicks, webhooks and invitations. If that is meant, send "confirm": "delete_organization".`;
}

const thingsOf = ({ links, domains, tags }: Things): string =>
  listed(
    [count(links, 'link'), count(domains, 'domain'), count(tags, 'tag')].filter(
      (text) => !text.startsWith('0 '),
    ),
  );

const count = (figure: number, noun: string): string => `${figure} ${noun}${figure === 1 ? '' : 's'}`;

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
