import type { Role } from './access.ts';

/** What a user would leave behind in their organization. */
interface Belonging {
  readonly organization: string;
  readonly role: Role;
  /** Themselves included. */
  readonly members: number;
  readonly administrators: number;
  readonly links: number;
  readonly tags: number;
  readonly domains: number;
}

/** Null when they may leave for another organization; else why not, and what to do. */
export function whyStay(belonging: Belonging): string | null {
  const { organization, role, members, administrators } = belonging;
  // What an editor made belongs to the organization, and others look after it.
  if (role === 'editor') return null;
  if (members > 1) {
    return administrators > 1
      ? `You administer "${organization}", and would leave it. Make yourself an editor there first, then accept again.`
      : `You are the only administrator of "${organization}", which has ${count(members - 1, 'other member')}. Make one of them administrator and yourself an editor, then accept again.`;
  }
  const things = [
    count(belonging.links, 'link'),
    count(belonging.domains, 'domain'),
    count(belonging.tags, 'tag'),
  ].filter((text) => !text.startsWith('0 '));
  if (things.length === 0) return null;
  return `"${organization}" has ${listed(things)}, and nobody else would look after them. Delete them, or invite somebody who takes "${organization}" over; then accept again.`;
}

const count = (figure: number, noun: string): string => `${figure} ${noun}${figure === 1 ? '' : 's'}`;

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
