import type { Role } from './access.ts';

interface ResourceCounts {
  readonly links: number;
  readonly tags: number;
  readonly domains: number;
}

/** What a user would leave behind in their organization. */
interface Membership extends ResourceCounts {
  readonly organization: string;
  readonly role: Role;
  /** Including themselves. */
  readonly members: number;
  readonly administrators: number;
  /** Whether it is the organization that runs the service, for which no other one can be made. */
  readonly runsInstance: boolean;
}

/** Null if they may leave for another organization; otherwise why not, and what to do. */
export function leavingProblem(membership: Membership): string | null {
  const { organization, role, members, administrators, runsInstance } = membership;
  // What an editor created belongs to the organization, and its other members take care of it.
  if (role === 'editor') return null;
  if (members > 1) {
    return administrators > 1
      ? `You administer "${organization}", and would leave it. Make yourself an editor there first, then accept again.`
      : `You are the only administrator of "${organization}", which has ${count(members - 1, 'other member')}. Make one of them administrator and yourself an editor, then accept again.`;
  }
  if (runsInstance) return instanceProblem(organization, 'accept again');
  const resources = resourcesText(membership);
  if (resources === '') return null;
  return `"${organization}" has ${resources}, and nobody else would look after them. Delete them, or invite somebody who takes "${organization}" over; then accept again.`;
}

/** Why the only member of the organization that runs the service must stay, and what to do before `next`. */
export const instanceProblem = (organization: string, next: 'accept again' | 'delete your account'): string =>
  `"${organization}" runs this service, and nobody else could see its health. Invite somebody who takes "${organization}" over; then ${next}.`;

/** Why the account of the last administrator can't be deleted, and what to do. */
export const lastAdministratorProblem = (organization: string, members: number): string =>
  `You are the only administrator of "${organization}", which has ${count(members - 1, 'other member')}. Make one of them administrator, then delete your account.`;

/** What is deleted with the account of an organization's only member. */
export function organizationDeletionNotice(organization: string, resources: ResourceCounts): string {
  const named = resourcesText(resources);
  const having = named === '' ? '' : ` with its ${named}`;
  return `You are alone in "${organization}", so it goes${having}, its clicks, webhooks and invitations. If that is meant, send "confirm": "delete_organization".`;
}

const resourcesText = ({ links, domains, tags }: ResourceCounts): string =>
  new Intl.ListFormat('en-GB').format(
    [count(links, 'link'), count(domains, 'domain'), count(tags, 'tag')].filter(
      (text) => !text.startsWith('0 '),
    ),
  );

const count = (figure: number, noun: string): string =>
  `${figure.toLocaleString('en')} ${noun}${figure === 1 ? '' : 's'}`;
