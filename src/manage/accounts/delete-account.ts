import type { Caller } from '../../rules/access.ts';
import { existing, Refusal } from '../../rules/errors.ts';
import {
  instanceProblem,
  lastAdministratorProblem,
  organizationDeletionNotice,
} from '../../rules/leave-organization.ts';
import { digitsAndLetters, drawText } from '../../rules/random-text.ts';
import { markDeleted } from '../../storage/accounts/deleted-organizations.ts';
import { withdrawInvitations } from '../../storage/accounts/invitations.ts';
import { countMembers, lockMembership, type Membership } from '../../storage/accounts/members.ts';
import {
  countBelongings,
  findOrganization,
  forgetName,
  lockOrganizations,
  updateOrganization,
} from '../../storage/accounts/organizations.ts';
import { deleteUser, hasOtherUsers, hasUsers, lockPassword } from '../../storage/accounts/users.ts';
import type { Queries } from '../../storage/schema.ts';
import { deleteSetting, findSetting, lockSetting, replaceSetting } from '../../storage/settings.ts';
import type { Context } from '../context.ts';
import { instanceOrganization } from '../instance.ts';
import { lacksEmailProof } from './email-proof.ts';
import { passwordWrong, requireOwnPassword } from './own-password.ts';
import { firstAccount, setupNonce } from './register-user.ts';

interface AccountDeletion {
  readonly password: string;
  /** Required if the organization is deleted too. */
  readonly confirm?: 'delete_organization' | undefined;
}

/**
 * Data that identifies the person is deleted at once. What they created belongs to the organization and stays, unless they are its
 * only member: then the organization is deleted too, and cleared away afterwards (`clear-organizations.ts`).
 */
export async function deleteAccount(
  context: Context,
  caller: Caller,
  { password, confirm }: AccountDeletion,
): Promise<void> {
  const passwordHash = await requireOwnPassword(context, caller, password, 'password');
  await context.database.write(async (queries) => {
    const member = await existing(lockMembership(queries, caller.userId), 'user');
    if (!(await lockPassword(queries, member.id, passwordHash))) throw passwordWrong('password');
    await lockOrganizations(queries, [member.organization_id]);
    await leave(context, queries, member, confirm !== undefined);
    await withdrawInvitations(queries, { invited_by: member.id });
    if (!lacksEmailProof(context, member)) {
      await withdrawInvitations(queries, { email: member.email });
      // Also organizations that they have left.
      await forgetName(queries, member.email);
    }
    // One deletion after another: of the last two accounts, each would leave the other.
    await lockSetting(queries, firstAccount);
    await deleteUser(queries, member.id, context.now());
    // No user is left: the next account is a first one again.
    if (await hasUsers(queries)) return;
    for (const setting of [firstAccount, instanceOrganization]) await deleteSetting(queries, setting);
    await replaceSetting(queries, setupNonce, drawText(digitsAndLetters, 24, context.randomBytes));
  });
  context.callerChanged(caller.userId);
}

async function leave(
  context: Context,
  queries: Queries,
  member: Membership,
  isConfirmed: boolean,
): Promise<void> {
  const { organization_id: id, role } = member;
  const organization = (await findOrganization(queries, id))?.name ?? '';
  const { members, administrators } = await countMembers(queries, id);
  if (members > 1) {
    if (role === 'administrator' && administrators < 2)
      throw new Refusal('LAST_ADMINISTRATOR', lastAdministratorProblem(organization, members));
    // An organization without a name of its own has its first member's.
    if (organization === member.email || organization === member.name)
      await updateOrganization(queries, id, { name: `Organization ${id}` });
    return;
  }
  const runsInstance = (await findSetting(queries, instanceOrganization)) === String(id);
  if (runsInstance && (await hasOtherUsers(queries, member.id)))
    throw new Refusal('ORGANIZATION_IN_USE', instanceProblem(organization, 'delete your account'));
  if (!isConfirmed) {
    const belongings = await countBelongings(queries, id);
    throw new Refusal('ORGANIZATION_IN_USE', organizationDeletionNotice(organization, belongings), {
      field: 'confirm',
    });
  }
  await markDeleted(queries, id, context.now());
}
