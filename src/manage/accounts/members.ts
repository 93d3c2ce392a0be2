import type { Caller, Role } from '../../rules/access.ts';
import { existing, notFound, Refusal } from '../../rules/errors.ts';
import { deleteApiKeysOf } from '../../storage/accounts/api-keys.ts';
import { withdrawInvitations } from '../../storage/accounts/invitations.ts';
import {
  countMembers,
  findMember,
  listMembers,
  lockMembership,
  type Membership,
  type StoredMember,
  setMembership,
  setRole,
} from '../../storage/accounts/members.ts';
import { lockOrganizations } from '../../storage/accounts/organizations.ts';
import { insertOrganization } from '../../storage/accounts/users.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';
import { endSessions } from './end-sign-ins.ts';
import { requireAdministrator } from './require-member.ts';

export type { StoredMember } from '../../storage/accounts/members.ts';

export const readMembers = (context: Context, { organizationId }: Caller): Promise<StoredMember[]> =>
  listMembers(context.database.read, organizationId);

export async function changeRole(
  context: Context,
  caller: Caller,
  id: number,
  role: Role,
): Promise<StoredMember> {
  const member = await context.database.write(async (queries) => {
    const member = await lockMember(queries, caller, id);
    if (member.role === 'administrator' && role === 'editor') await stepDown(queries, member, 'lowered');
    await setRole(queries, id, role, context.now());
    return existing(findMember(queries, caller.organizationId, id), 'member');
  });
  context.callerChanged(id);
  return member;
}

/**
 * A removed member gets an organization of their own. All their credentials for this one end, including keys: otherwise these
 * would work again if the member came back.
 */
export async function removeMember(context: Context, caller: Caller, id: number): Promise<void> {
  await context.database.write(async (queries) => {
    const member = await lockMember(queries, caller, id);
    if (member.role === 'administrator') await stepDown(queries, member, 'removed');
    const own = await insertOrganization(queries, member.name || member.email, context.now());
    await setMembership(queries, id, { organization_id: own, role: 'administrator' }, context.now());
    await deleteApiKeysOf(queries, id, context.now());
    await endSessions(queries, id, context.now());
  });
  context.callerChanged(id);
}

/** A member of the caller's organization. Locks the membership until the transaction ends. */
async function lockMember(queries: Queries, caller: Caller, id: number): Promise<Membership> {
  const member = await lockMembership(queries, id);
  if (member?.organization_id !== caller.organizationId) throw notFound('member');
  await lockOrganizations(queries, [caller.organizationId]);
  // Two administrators may demote each other at once: the caller must still be one.
  await requireAdministrator(queries, caller);
  return member;
}

/** An invitation is valid as long as its sender may invite. */
async function stepDown(queries: Queries, member: Membership, how: 'lowered' | 'removed'): Promise<void> {
  const { administrators } = await countMembers(queries, member.organization_id);
  if (administrators < 2) {
    throw new Refusal(
      'LAST_ADMINISTRATOR',
      `The last administrator can not be ${how}. Make another member administrator first.`,
    );
  }
  await withdrawInvitations(queries, { invited_by: member.id, organization_id: member.organization_id });
}
