import { z } from 'zod';
import {
  acceptByToken,
  acceptInvitation,
  declineInvitation,
  previewInvitation,
  type ReceivedInvitation as Received,
  readReceivedInvitations,
} from '../manage/accounts/received-invitations.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { InvitationPreview, InvitationToken, ReceivedInvitation } from './schemas/invitation.ts';
import { pathId } from './schemas/parts.ts';
import { User } from './schemas/user.ts';
import { userAnswer } from './users.ts';

const joining =
  'The user leaves the organization they belong to: an editor freely, an administrator only when it is theirs alone, has no links, tags and domains, and doesn’t run the service (else 409 `ORGANIZATION_IN_USE`, with what to do). API keys of the user end; sessions and tokens go on, in the new organization.';

const receivedAnswer = (invitation: Received): z.input<typeof ReceivedInvitation> => ({
  id: invitation.id,
  created_at: formatStamp(invitation.created_at),
  organization_id: invitation.organization_id,
  organization_name: invitation.organization_name,
  role: invitation.role,
  invited_by: invitation.inviter,
  expires_at: formatStamp(invitation.expires_at),
});

export const preview = endpoint({
  summary: 'Read an invitation by its token',
  description: 'For the page of its link.',
  credential: 'none',
  body: InvitationToken,
  statuses: { 200: 'What it is for.' },
  answer: InvitationPreview,
  async handle({ body }, context) {
    const { invitation, hasAccount } = await previewInvitation(context, body.token);
    const { email, organization_id, organization_name, role, inviter, expires_at } = invitation;
    return {
      organization_id,
      organization_name,
      email,
      role,
      invited_by: inviter,
      expires_at: formatStamp(expires_at),
      has_account: hasAccount,
    };
  },
});

export const acceptLink = endpoint({
  summary: 'Accept an invitation by its token',
  description: `For a user whose address the invitation is for. ${joining}`,
  body: InvitationToken,
  statuses: { 200: 'The user, in the new organization.' },
  answer: User,
  handle: async ({ caller, body }, context) => userAnswer(await acceptByToken(context, caller, body.token)),
});

export const list = endpoint({
  summary: 'List the invitations you have received',
  description:
    'Where anyone may sign up, or invitations are mailed, there are none for an account with an unproven address: its owner has their links.',
  statuses: { 200: 'Those that can be accepted, newest first.' },
  answer: z.array(ReceivedInvitation),
  handle: async ({ caller }, context) => (await readReceivedInvitations(context, caller)).map(receivedAnswer),
});

export const accept = endpoint({
  summary: 'Accept an invitation',
  description: joining,
  params: pathId,
  statuses: { 200: 'The user, in the new organization.' },
  answer: User,
  handle: async ({ caller, params }, context) =>
    userAnswer(await acceptInvitation(context, caller, params.id)),
});

export const decline = endpoint({
  summary: 'Decline an invitation',
  description:
    'It is deleted for its sender too. An account with an unproven address may not: 403 `EMAIL_UNPROVEN`.',
  params: pathId,
  statuses: { 204: 'Declined.' },
  handle: ({ caller, params }, context) => declineInvitation(context, caller, params.id),
});
