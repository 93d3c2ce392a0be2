import { z } from 'zod';
import {
  inviteMember,
  readInvitations,
  type StoredInvitation,
  withdrawInvitation,
} from '../manage/accounts/invitations.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Invitation, InvitationToCreate, NewInvitation } from './schemas/invitation.ts';
import { pathId } from './schemas/parts.ts';

const invitationAnswer = (invitation: StoredInvitation): z.input<typeof Invitation> => ({
  id: invitation.id,
  created_at: formatStamp(invitation.created_at),
  email: invitation.email,
  role: invitation.role,
  expires_at: formatStamp(invitation.expires_at),
});

export const create = endpoint({
  summary: 'Invite a person to your organization',
  description:
    'For administrators. A new invitation for the same address replaces the previous one. If a mail server is set it is mailed; the invitation exists whether that works or not.',
  administratorsOnly: true,
  body: InvitationToCreate,
  isIdempotentByKey: true,
  statuses: { 201: 'The invitation, its token this once.' },
  answer: NewInvitation,
  async handle({ caller, body }, context) {
    const made = await inviteMember(context, caller, body.email, body.role);
    return { ...invitationAnswer(made), token: made.token, url: made.url, sent: made.sent };
  },
});

export const list = endpoint({
  summary: 'List outstanding invitations',
  description: 'For administrators.',
  administratorsOnly: true,
  statuses: { 200: 'Newest first.' },
  answer: z.array(Invitation),
  handle: async ({ caller }, context) => (await readInvitations(context, caller)).map(invitationAnswer),
});

export const remove = endpoint({
  summary: 'Withdraw an invitation',
  description: 'For administrators. Its link stops working.',
  administratorsOnly: true,
  params: pathId,
  statuses: { 204: 'Withdrawn.' },
  handle: ({ caller, params }, context) => withdrawInvitation(context, caller, params.id),
});
