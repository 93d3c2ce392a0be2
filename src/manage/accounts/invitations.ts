import { invitationTokens } from '../../auth/opaque-tokens.ts';
import { digest } from '../../auth/secrets.ts';
import { invitationMail } from '../../mail/invitation-mail.ts';
import type { Caller, Role } from '../../rules/access.ts';
import { normaliseEmail } from '../../rules/account.ts';
import { dayLength } from '../../rules/durations.ts';
import { notFound, Refusal } from '../../rules/errors.ts';
import * as stored from '../../storage/accounts/invitations.ts';
import { isMember } from '../../storage/accounts/members.ts';
import { lockOrganizations } from '../../storage/accounts/organizations.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Context } from '../context.ts';
import { mailWithinLimits } from './mail-limit.ts';
import { readUser } from './read-user.ts';
import { requireAdministrator } from './require-member.ts';

export type { StoredInvitation } from '../../storage/accounts/invitations.ts';

const maxInvitations = 1_000;
const lifetime = 14 * dayLength;

interface NewInvitation extends stored.StoredInvitation {
  readonly token: string;
  /** Where it is accepted: to be passed on to the invited person. */
  readonly url: string;
  /** The mail server accepted the mail. */
  readonly sent: boolean;
}

/**
 * Only this response and the mail contain the token; a person with the token and that address may join. An invitation that can't
 * be mailed is created anyway: its link can be passed on in another way.
 */
export async function inviteMember(
  context: Context,
  caller: Caller,
  email: string,
  role: Role,
): Promise<NewInvitation> {
  const token = invitationTokens.make(context.randomBytes);
  const now = context.now();
  const invitation = await context.database.write(async (queries) => {
    const address = normaliseEmail(email);
    await lockOrganizations(queries, [caller.organizationId]);
    // They may have been demoted or removed meanwhile: then their invitations don't count.
    await requireAdministrator(queries, caller);
    if (await isMember(queries, caller.organizationId, address)) {
      throw new Refusal('ALREADY_MEMBER', `${address} is a member of your organization already.`, {
        field: 'email',
      });
    }
    const created = await stored.replaceInvitation(queries, {
      created_at: now,
      organization_id: caller.organizationId,
      invited_by: caller.userId,
      email: address,
      role,
      token_hash: digest(token),
      expires_at: now + lifetime,
    });
    if (await stored.hasMoreInvitations(queries, caller.organizationId, now, maxInvitations))
      throw new Refusal(
        'TOO_MANY_INVITATIONS',
        `An organization has at most ${maxInvitations.toLocaleString('en-US')} open invitations. Withdraw one first.`,
        { field: 'email' },
      );
    await recordOtherChange(queries, 'invitation', created.id, now);
    return created;
  });
  const url = `${context.site.origin}/invitation/${token}`;
  return { ...invitation, token, url, sent: await send(context, caller, invitation, url) };
}

async function send(
  context: Context,
  caller: Caller,
  { email, role, expires_at }: stored.StoredInvitation,
  url: string,
): Promise<boolean> {
  if (context.mailer === null) return false;
  const inviter = await readUser(context, caller.userId);
  const mail = invitationMail({
    to: email,
    inviter: { name: inviter.name, email: inviter.email },
    organization: inviter.organization_name,
    role,
    expiresAt: expires_at,
    url,
    origin: context.site.origin,
  });
  return mailWithinLimits(context, caller.organizationId, mail, 'anyone');
}

export const readInvitations = (context: Context, caller: Caller): Promise<stored.StoredInvitation[]> =>
  stored.listInvitations(context.database.read, caller.organizationId, context.now());

export async function withdrawInvitation(context: Context, caller: Caller, id: number): Promise<void> {
  await context.database.write(async (queries) => {
    if (!(await stored.deleteInvitation(queries, caller.organizationId, id))) throw notFound('invitation');
    await recordOtherChange(queries, 'invitation', id, context.now());
  });
}

export const uselessInvitation = (field: string): Refusal =>
  new Refusal(
    'INVITATION_INVALID',
    'This invitation was used, withdrawn or has expired, or it was made for another email address. Ask for a new one.',
    { field },
  );
