import { invitationTokens } from '../../auth/opaque-tokens.ts';
import { digest } from '../../auth/secrets.ts';
import type { Caller } from '../../rules/access.ts';
import { isSameEmail } from '../../rules/account.ts';
import { existing, Refusal } from '../../rules/errors.ts';
import { leavingProblem } from '../../rules/leave-organization.ts';
import { deleteApiKeysOf } from '../../storage/accounts/api-keys.ts';
import { markDeleted } from '../../storage/accounts/deleted-organizations.ts';
import {
  deleteReceivedInvitation,
  findInvitation,
  findInvitationById,
  findReceivedInvitation,
  listReceivedInvitations,
  type ReceivedInvitation,
  type StoredInvitation,
  withdrawInvitations,
} from '../../storage/accounts/invitations.ts';
import {
  countMembers,
  findMembership,
  lockMembership,
  type Membership,
  setMembership,
} from '../../storage/accounts/members.ts';
import {
  countBelongings,
  findOrganization,
  lockOrganizations,
} from '../../storage/accounts/organizations.ts';
import { findUserByEmail, type StoredUser } from '../../storage/accounts/users.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import { findSetting } from '../../storage/settings.ts';
import type { Context } from '../context.ts';
import { instanceOrganization } from '../instance.ts';
import { lacksEmailProof, requireEmailProof } from './email-proof.ts';
import { uselessInvitation } from './invitations.ts';
import { requireUser } from './read-user.ts';

export type { ReceivedInvitation } from '../../storage/accounts/invitations.ts';

/** What a person with the link may learn before signing in or up. */
export async function previewInvitation(
  context: Context,
  token: string,
): Promise<{ readonly invitation: ReceivedInvitation; readonly hasAccount: boolean }> {
  const invitation = invitationTokens.matches(token)
    ? await findReceivedInvitation(context.database.lookup, digest(token))
    : undefined;
  if (!invitation || invitation.expires_at <= context.now()) throw uselessInvitation('token');
  const account = await findUserByEmail(context.database.lookup, invitation.email);
  return { invitation, hasAccount: account !== undefined };
}

export async function readReceivedInvitations(
  context: Context,
  caller: Caller,
): Promise<ReceivedInvitation[]> {
  const member = await existing(findMembership(context.database.lookup, caller.userId), 'user');
  if (lacksEmailProof(context, member)) return [];
  return listReceivedInvitations(context.database.read, member.email, context.now());
}

export async function declineInvitation(context: Context, caller: Caller, id: number): Promise<void> {
  await context.database.write(async (queries) => {
    const member = await existing(lockMembership(queries, caller.userId), 'user');
    requireEmailProof(context, member);
    if (!(await deleteReceivedInvitation(queries, member.email, id))) throw noSuchInvitation();
    await recordOtherChange(queries, 'invitation', id, context.now());
  });
}

/** From the user's own list of invitations. */
export const acceptInvitation = (context: Context, caller: Caller, id: number): Promise<StoredUser> =>
  join(context, caller, async (queries, member) => {
    requireEmailProof(context, member);
    const invitation = await findInvitationById(queries, id);
    if (!invitation || !isSameEmail(invitation.email, member.email) || invitation.expires_at <= context.now())
      throw noSuchInvitation();
    return invitation;
  });

/** By the mailed link: having it proves that the address is the user's. */
export const acceptByToken = (context: Context, caller: Caller, token: string): Promise<StoredUser> =>
  join(context, caller, async (queries, member) => {
    const invitation = invitationTokens.matches(token)
      ? await findInvitation(queries, digest(token))
      : undefined;
    if (!invitation || invitation.expires_at <= context.now()) throw uselessInvitation('token');
    if (!isSameEmail(invitation.email, member.email)) {
      throw new Refusal(
        'INVITATION_INVALID',
        `This invitation is for ${invitation.email}, and you are signed in as ${member.email}. Sign in with that address, or ask for an invitation to yours.`,
        { field: 'token' },
      );
    }
    return invitation;
  });

/**
 * A user belongs to one organization at a time, so joining means leaving. API keys were made for the former organization and end
 * with the membership; sessions and tokens belong to the person and stay valid.
 */
async function join(
  context: Context,
  { userId }: Caller,
  findAcceptable: (queries: Queries, member: Membership) => Promise<StoredInvitation>,
): Promise<StoredUser> {
  const user = await context.database.write(async (queries) => {
    const member = await existing(lockMembership(queries, userId), 'user');
    const invitation = await findAcceptable(queries, member);
    const { organization_id: left } = member;
    const { organization_id: joined, role } = invitation;
    const now = context.now();
    await lockOrganizations(queries, [left, joined]);
    // Read again under the lock: it may have been withdrawn, or accepted by another call, in the meantime.
    if (!(await deleteReceivedInvitation(queries, invitation.email, invitation.id))) throw noSuchInvitation();
    if (left !== joined) {
      await requireMayLeave(queries, member);
      await setMembership(queries, member.id, { organization_id: joined, role }, now);
      await deleteApiKeysOf(queries, member.id, now);
      await withdrawInvitations(queries, { invited_by: member.id, organization_id: left });
      // Nobody can reach it any more, and it may have its last member's name.
      if ((await countMembers(queries, left)).members === 0) await markDeleted(queries, left, now);
    }
    return requireUser(queries, member.id);
  });
  context.callerChanged(userId);
  return user;
}

async function requireMayLeave(queries: Queries, { organization_id, role }: Membership): Promise<void> {
  const organization = await findOrganization(queries, organization_id);
  const reason = leavingProblem({
    organization: organization?.name ?? '',
    role,
    ...(await countMembers(queries, organization_id)),
    ...(await countBelongings(queries, organization_id)),
    runsInstance: (await findSetting(queries, instanceOrganization)) === String(organization_id),
  });
  if (reason !== null) throw new Refusal('ORGANIZATION_IN_USE', reason);
}

const noSuchInvitation = (): Refusal =>
  new Refusal(
    'NOT_FOUND',
    'There is no such invitation for your address any more. It was used, withdrawn or has expired: ask for a new one.',
  );
